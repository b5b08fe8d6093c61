# Randomised response as a baseline of ppdp; what comes with R alone.
#
# A value of k possible ones is kept with probability e^a / (e^a + k - 1), where a is the value's
# share of epsilon, and replaced by one of the others, all equally likely, else (Kairouz, Bonawitz
# & Ramage 2016, section 3). A record has d values and a share of epsilon / d for each, so that
# replacing a record changes the probability of any output by a factor of at most e^epsilon.
#
# Requests are lines of JSON whose keys are looked for as text: ppdp writes them without blanks,
# and quotes inside of a text are escaped, so that "key": is found only where it is a key.

# The values of a key that are texts, and those that are numbers.
texts <- function(line, key) {
  found <- regmatches(line, gregexpr(paste0('"', key, '":"(\\\\.|[^"\\\\])*"'), line, perl = TRUE))
  substring(found[[1]], nchar(key) + 5, nchar(found[[1]]) - 1)
}
numbers <- function(line, key) {
  found <- regmatches(line, gregexpr(paste0('"', key, '":[-+0-9.eE]+'), line, perl = TRUE))
  as.numeric(substring(found[[1]], nchar(key) + 4))
}

# R's generator takes 32 bits at a time: its own seed is drawn from all 64 digits, eight by eight.
seed <- function(digits) {
  RNGkind("Mersenne-Twister", "Inversion", "Rejection")
  state <- integer(624)
  for (part in substring(digits, seq(1, 57, 8), seq(8, 64, 8))) {
    high <- strtoi(substr(part, 1, 4), 16L)
    low <- strtoi(substr(part, 5, 8), 16L)
    set.seed(bitwXor(high * 32768L, low))
    state <- bitwXor(state, as.integer(floor(runif(624) * 2^32 - 2^31)))
  }
  assign(".Random.seed", c(10403L, 624L, state), envir = globalenv())
}

# Writes randomised records and returns the answer.
release <- function(line, id) {
  cells <- numbers(line, "cells")
  share <- numbers(line, "epsilon")[1] / max(1, length(cells))
  seed(texts(line, "seed")[1])
  file <- file.path(texts(line, "folder")[1], "records.csv")
  rows <- read.csv(texts(line, "rows")[1], check.names = FALSE, colClasses = "integer")
  for (i in seq_along(cells)) {
    # 1 / (1 + (k - 1) e^-a), which no large epsilon overflows
    lost <- which(runif(nrow(rows)) >= 1 / (1 + (cells[i] - 1) * exp(-share)))
    other <- floor(runif(length(lost)) * (cells[i] - 1))
    rows[lost, i] <- as.integer(other + (other >= rows[lost, i]))
  }
  write.table(rows, file, sep = ",", qmethod = "double", row.names = FALSE)
  sprintf('{"id":"%s","file":"records.csv","spent":[%s"amount":%.17g}]}', id,
          '{"purpose":"values","mechanism":"randomised response",', numbers(line, "total")[1])
}

input <- file("stdin", "r")
say <- function(line) {
  cat(line, "\n", sep = "")
  flush(stdout())
}
say('{"protocol":1}')
if (!identical(numbers(readLines(input, 1), "protocol"), 1)) stop("this program speaks protocol 1")
while (length(line <- readLines(input, 1)) > 0) {
  id <- texts(line, "id")[1]
  say(tryCatch(release(line, id), error = function(problem) { # one release fails
    sprintf('{"id":"%s","error":"%s"}', id, gsub('["\\\\\n]', " ", conditionMessage(problem)))
  }))
}

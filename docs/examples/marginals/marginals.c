/* Independent noisy histograms as a baseline of ppdp, in C alone.
 *
 * Each attribute's histogram gets Laplace noise of scale d / epsilon, where d is the number of
 * attributes: one record more or less changes each histogram by one. As many records as the first
 * histogram counts (at most the parameter records) are drawn, attribute by attribute.
 *
 * Requests are lines of JSON whose keys are looked for as text: ppdp writes them without blanks,
 * and quotes inside of a text are escaped, so that "key": is found only where it is a key.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* xoshiro256++ of Blackman & Vigna, seeded with the request's 256 bits. */
static uint64_t state[4];

static uint64_t rotated(uint64_t x, int k) { return x << k | x >> (64 - k); }

static uint64_t next(void) {
	uint64_t result = rotated(state[0] + state[3], 23) + state[0], t = state[1] << 17;
	state[2] ^= state[0];
	state[3] ^= state[1];
	state[1] ^= state[2];
	state[0] ^= state[3];
	state[2] ^= t;
	state[3] = rotated(state[3], 45);
	return result;
}

/* A number between 0 and 1, never either. */
static double uniform(void) { return ((double)(next() >> 11) + 0.5) * 0x1p-53; }

static double laplace(double scale) {
	double u = uniform() - 0.5;
	return u < 0 ? scale * log1p(2 * u) : -scale * log1p(-2 * u);
}

/* The text behind a key, up to its closing quote. */
static int text(const char *line, const char *key, char *into, size_t size) {
	const char *at = strstr(line, key), *end;
	if (!at || !(end = strchr(at += strlen(key), '"')) || (size_t)(end - at) >= size)
		return 0;
	memcpy(into, at, end - at);
	into[end - at] = 0;
	return 1;
}

static double number(const char *line, const char *key) {
	const char *at = strstr(line, key);
	return at ? strtod(at + strlen(key), NULL) : 0;
}

#define MOST_CELLS (1 << 24)

/* Returns what went wrong, or NULL. */
static const char *release(const char *line) {
	static char seed[65], rows[4096], folder[4000], out[4096];
	if (!text(line, "\"seed\":\"", seed, sizeof seed) ||
	    !text(line, "\"rows\":\"", rows, sizeof rows) ||
	    !text(line, "\"folder\":\"", folder, sizeof folder) || !strstr(line, "\"params\":"))
		return "the request lacks seed, rows or folder";
	for (int i = 0; i < 4; i++) {
		char part[17] = {0};
		memcpy(part, seed + 16 * i, 16);
		state[i] = strtoull(part, NULL, 16);
	}
	if (!(state[0] | state[1] | state[2] | state[3]))
		state[0] = 1;
	int d = 0;
	size_t all = 0;
	for (const char *at = line; (at = strstr(at, "\"cells\":")); at++, d++) {
		double cells = number(at, "\"cells\":");
		if (cells > MOST_CELLS || all + cells > MOST_CELLS)
			return "the domains have more than 16777216 cells";
		all += cells;
	}
	if (d == 0)
		return "there are no attributes";
	double *counts = calloc(all, sizeof *counts);
	size_t *begin = calloc(d + 1, sizeof *begin);
	FILE *in = fopen(rows, "r");
	snprintf(out, sizeof out, "%s/records.csv", folder);
	FILE *to = fopen(out, "w");
	const char *problem = counts && begin && in && to ? NULL : "no memory or no file";
	if (!problem) {
		int i = 0, c, quoted = 0, code = 0, digits = 0;
		for (const char *at = line; (at = strstr(at, "\"cells\":")); at++, i++)
			begin[i + 1] = begin[i] + (size_t)number(at, "\"cells\":");
		while ((c = getc(in)) != EOF) { /* the header, which is that of the answer, too */
			putc(c, to);
			if (c == '"')
				quoted = !quoted;
			if (c == '\n' && !quoted)
				break;
		}
		for (i = 0; (c = getc(in)) != EOF;) {
			if (c >= '0' && c <= '9') {
				code = 10 * code + c - '0';
				digits++;
			} else if (digits > 0 && i < d) {
				if (begin[i] + code < begin[i + 1])
					counts[begin[i] + code]++;
				i = c == '\n' ? 0 : i + 1;
				code = digits = 0;
			}
		}
		double share = number(line, "\"total\":") / d, n = 0;
		double most = number(strstr(line, "\"params\":"), "\"records\":");
		for (i = 0; i < d; i++) {
			double sum = 0;
			for (size_t k = begin[i]; k < begin[i + 1]; k++) {
				counts[k] = fmax(0, counts[k] + laplace(1 / share));
				sum = counts[k] += k > begin[i] ? counts[k - 1] : 0; /* cumulative */
			}
			if (i == 0)
				n = fmin(most, floor(sum + 0.5));
		}
		for (double row = 0; row < n; row++)
			for (i = 0; i < d; i++) {
				size_t low = begin[i], high = begin[i + 1] - 1;
				double sum = counts[high], u = uniform() * sum;
				if (!(sum > 0) || isinf(sum)) /* nothing is known: any value */
					low = high = low + (size_t)(uniform() * (high - low + 1));
				while (low < high) {
					size_t middle = low + (high - low) / 2;
					if (counts[middle] > u)
						high = middle;
					else
						low = middle + 1;
				}
				fprintf(to, "%zu%c", low - begin[i], i == d - 1 ? '\n' : ',');
			}
	}
	if (in)
		fclose(in);
	if (to && fclose(to) != 0 && !problem)
		problem = "the file cannot be written";
	free(counts);
	free(begin);
	return problem;
}

int main(void) {
	char *line = NULL, id[64];
	size_t size = 0;
	puts("{\"protocol\":1}");
	fflush(stdout);
	if (getline(&line, &size, stdin) < 0 || !strstr(line, "\"protocol\":1"))
		return 1;
	while (getline(&line, &size, stdin) >= 0) {
		if (!text(line, "\"id\":\"", id, sizeof id))
			return 1;
		const char *problem = release(line);
		if (problem)
			printf("{\"id\":\"%s\",\"error\":\"%s\"}\n", id, problem);
		else
			printf("{\"id\":\"%s\",\"file\":\"records.csv\",\"spent\":[{\"purpose\":"
			       "\"histograms\",\"mechanism\":\"laplace\",\"amount\":%.17g}]}\n",
			       id, number(line, "\"total\":"));
		fflush(stdout);
	}
	return 0;
}

# The program alone in an image, for those who want one; everybody else needs Go and make only.
#
#   docker build -t ppdp .
#   docker run --rm -v "$PWD/results:/work/results" -v "$PWD/data:/work/data" ppdp reproduce --quick
#
# Data and results live in the two mounted folders. Without data there, they are downloaded and checked.
FROM golang:1.26-bookworm AS build
WORKDIR /source
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make build && mkdir -m 1777 /empty

FROM scratch
# Fetching data needs the certificates of public authorities, and some verbs a folder for temporary files.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /empty /tmp
COPY --from=build /source/bin/ppdp /usr/local/bin/ppdp
WORKDIR /work
ENV PPDP_DATA=/work/data
ENTRYPOINT ["/usr/local/bin/ppdp"]

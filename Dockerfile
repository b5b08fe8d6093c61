# The program alone in an image, for those who want one; everybody else needs Go and make only.
#
#   docker build -t ppdp .
#   mkdir -p results data
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD/results:/ppdp/results" -v "$PWD/data:/ppdp/data" ppdp reproduce --quick
#
# Without Docker: buildah bud -t ppdp . (where no namespaces are allowed, with --isolation chroot --storage-driver vfs).
#
# Data and results live in the two mounted folders, as the caller's own files. Without data there, they are downloaded and checked;
# with --network none generated stand-ins take their place. Manifests name no commit: .git stays outside.

# The tag moves with the base's security updates; go.mod and go.sum fix all that goes into the program.
FROM golang:1.26-bookworm AS build
WORKDIR /source
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# The whole file system of the image: fetching data needs the certificates of public authorities, some commands need a folder for
# temporary files, and a run without mounted folders needs one to write to. Every user may write to both.
RUN make build && \
    install -D bin/ppdp /image/usr/local/bin/ppdp && \
    install -D -m 644 /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ca-certificates.crt && \
    install -d -m 1777 /image/tmp /image/ppdp /image/ppdp/results /image/ppdp/data

FROM scratch
COPY --from=build /image/ /
WORKDIR /ppdp
# Data put into the mounted folder by hand are looked for in it, and those that are downloaded are kept in its folder ppdp.
ENV PPDP_DATA=/ppdp/data XDG_CACHE_HOME=/ppdp/data
# Nobody in particular: nothing in the image is to be changed.
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/ppdp"]

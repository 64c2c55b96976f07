# docker build -t rescheduler:0.1.0 .          both architectures: docker buildx build --platform linux/amd64,linux/arm64 .
#
# tests/deploy/image_test executes these steps without Docker.
FROM debian:bookworm AS build
WORKDIR /src
# A layer of its own, so that a change of the source does not install the packages again.
COPY scripts/install-deps scripts/install-deps
RUN scripts/install-deps build web release
COPY . .
# The caches of ccache and npm outlive the build, so that the next build compiles only what has changed.
RUN --mount=type=cache,target=/root/.cache/ccache --mount=type=cache,target=/root/.npm \
    cmake --preset release -DBUILD_TESTING=OFF && cmake --build --preset release --target rescheduler
RUN scripts/image-root build/release/src/cli/rescheduler /image

# Only the program and the files that it loads. Without a shell and a package manager, there is less to keep up to date.
FROM scratch
COPY --from=build /image /
USER 65532:65532
EXPOSE 10259
ENTRYPOINT ["/usr/bin/rescheduler"]

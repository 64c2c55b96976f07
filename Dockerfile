# docker build -t rescheduler:0.1.0 .          both architectures: docker buildx build --platform linux/amd64,linux/arm64 .
#
# tests/deploy/image_test executes these steps without Docker.
FROM debian:bookworm AS build
WORKDIR /src
# By itself, so that a changed source does not install everything again.
COPY scripts/install-deps scripts/install-deps
RUN scripts/install-deps build web release
COPY . .
# What ccache and npm keep outlives the build: a changed source compiles what changed.
RUN --mount=type=cache,target=/root/.cache/ccache --mount=type=cache,target=/root/.npm \
    cmake --preset release -DBUILD_TESTING=OFF && cmake --build --preset release --target rescheduler
RUN scripts/image-root build/release/src/cli/rescheduler /image

# Nothing but the program and what it loads: no shell, no package manager, nothing to keep up to date but this image.
FROM scratch
COPY --from=build /image /
USER 65532:65532
EXPOSE 10259
ENTRYPOINT ["/usr/bin/rescheduler"]

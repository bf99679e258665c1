# syntax=docker/dockerfile:1
# Build: docker buildx build --platform linux/amd64,linux/arm64 -t spanward .
# Nothing in it needs root, a writable root file system or the internet at run time; see docs/deploying.md.

FROM node:26.10.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json tsconfig.base.json ./
COPY scripts ./scripts
COPY packages ./packages
COPY clients/typescript ./clients/typescript
COPY apps ./apps
RUN npm ci --ignore-scripts --no-audit --no-fund --workspace apps/web
WORKDIR /build/apps/web
RUN ../../node_modules/.bin/vite build --logLevel warn

FROM node:26.10.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages ./packages
COPY clients/typescript ./clients/typescript
COPY apps/command-line/package.json ./apps/command-line/package.json
COPY apps/server/package.json ./apps/server/package.json
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace apps/server --workspace apps/command-line

FROM node:26.10.0-bookworm-slim
LABEL org.opencontainers.image.title="Spanward" \
	org.opencontainers.image.description="Collects, keeps and shows the traces of LLM and agent applications" \
	org.opencontainers.image.licenses="Apache-2.0"
# npm is for building; what is not there cannot be used.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* \
	&& install -d -o node -g node -m 0700 /data
WORKDIR /app
COPY --from=dependencies /app ./
COPY package.json ./
COPY scripts/setup.mjs ./scripts/setup.mjs
COPY apps/command-line ./apps/command-line
COPY apps/server ./apps/server
COPY docs ./docs
COPY --from=build /build/apps/web/dist ./apps/web/dist
COPY --chmod=0755 deploy/docker/spanward /usr/local/bin/spanward
COPY deploy/docker/healthcheck.mjs ./deploy/docker/healthcheck.mjs
# As `npm start` sets them; what is compiled is kept where a read-only container may write. On all addresses it starts only
# where SERVICE_ENABLE_AUTH says whether credentials are asked for: there is no default for it here.
ENV NODE_ENV=production \
	NODE_COMPILE_CACHE=/tmp/spanward-compiled \
	MALLOC_ARENA_MAX=4 \
	MALLOC_MMAP_THRESHOLD_=131072 \
	SERVICE_HOST=0.0.0.0 \
	SERVICE_WORKING_DIR=/data
USER 1000:1000
VOLUME /data
EXPOSE 6006 4317
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "/app/deploy/docker/healthcheck.mjs"]
ENTRYPOINT ["node", "--max-semi-space-size=8", "--heap-growing-percent=75", "/app/apps/server/src/main.ts"]

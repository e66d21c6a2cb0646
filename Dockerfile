# docker build -t gateway .
# To pin the base image, write its digest behind the tag: node:24-slim@sha256:… (docker buildx imagetools inspect node:24-slim).
ARG NODE_IMAGE=node:24-slim

# Compiles the sources.
FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --loglevel=error
COPY tsconfig.json ./
COPY .ci ./.ci
COPY src ./src
COPY plugins ./plugins
RUN node .ci/build.mjs

# The packages that a running gateway needs.
FROM ${NODE_IMAGE} AS packages
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --loglevel=error

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
# The memory of a large body goes back to the system when the body does.
ENV MALLOC_MMAP_THRESHOLD_=262144
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=packages /src/node_modules ./node_modules
COPY --from=build /src/dist ./dist
COPY configs/schema ./configs/schema
# Its own folder for state, so that a volume there belongs to the user of the gateway.
RUN install -d -o 1000 -g 1000 -m 0700 /var/lib/gateway
USER 1000:1000
EXPOSE 8787 8789
# The configuration is mounted at /etc/gateway/gateway.yaml. It has `listen: 0.0.0.0:8787` and keys.
ENTRYPOINT ["node", "--no-allocation-site-pretenuring", "--max-semi-space-size=8", "--v8-pool-size=1", "/app/dist/bin.js"]
CMD ["start"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --retries=3 CMD ["node", "/app/dist/bin.js", "health"]

# kubegap as an MCP server on stdin and stdout. packaging/README.md says how to run it.
# Credential plugins (aws, gke-gcloud-auth-plugin, kubelogin, ...) are not in the image: give it a token kubeconfig.

FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY kubegap_mcp kubegap_mcp
COPY checks/kubegap_checks checks/kubegap_checks
COPY incident_library/kubegap_incidents incident_library/kubegap_incidents
# pip compiles the byte code here: the user of the image can write nowhere, and would compile it at each start.
RUN python -m venv /opt/kubegap \
    && /opt/kubegap/bin/pip install --no-cache-dir . \
    && /opt/kubegap/bin/pip uninstall --yes pip

FROM python:3.13-slim
LABEL io.modelcontextprotocol.server.name="io.github.kubegap/kubegap-mcp" \
      org.opencontainers.image.title="kubegap" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.source="https://github.com/kubegap/kubegap" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/kubegap /opt/kubegap
ENV PATH="/opt/kubegap/bin:$PATH" \
    HOME=/tmp
# A number, so that Kubernetes can see that it is not root; no such user needs to exist.
USER 65532:65532
WORKDIR /tmp
ENTRYPOINT ["kubegap-mcp"]

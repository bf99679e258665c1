// Whether the server in this container is ready: asks it as its settings say it listens. Ends with 0 or 1.
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

const TIMEOUT_MS = 4_000;

const setting = (name) => process.env[name]?.trim() || undefined;
const isTrue = (value) => value?.toLowerCase() === "true";

// As the server reads them: what is said of HTTP alone counts before what is said of both.
const isTls = isTrue(setting("SERVICE_TLS_ENABLED_FOR_HTTP") ?? setting("SERVICE_TLS_ENABLED"));
const wantsCertificate = isTls && isTrue(setting("SERVICE_TLS_VERIFY_CLIENT"));
const host = setting("SERVICE_HOST");
const options = {
	host: host === undefined || host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host,
	port: Number(setting("SERVICE_PORT") ?? 6006),
	path: `${(setting("SERVICE_HOST_ROOT_PATH") ?? "").replace(/\/$/, "")}/readyz`,
	timeout: TIMEOUT_MS,
	// The certificate names the host that clients use, not this one.
	rejectUnauthorized: false,
};
const request = (isTls ? requestHttps : requestHttp)(options, (response) => end(response.statusCode === 200));
request.on("timeout", () => end(false));
// There is no certificate here that it takes. It listens once it is ready, so its demand for one is the best there is.
request.on("error", ({ code = "" }) => end(wantsCertificate && /^ERR_SSL_.*ALERT/.test(code)));
request.end();

function end(isReady) {
	process.exit(isReady ? 0 : 1);
}

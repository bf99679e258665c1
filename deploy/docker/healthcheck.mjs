// Whether the server in this container is ready: asks it as its settings say it listens. Ends with 0 or 1.
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

const TIMEOUT_MS = 4_000;

const { SERVICE_PORT, SERVICE_HOST_ROOT_PATH = "", SERVICE_TLS_ENABLED, SERVICE_TLS_ENABLED_FOR_HTTP } = process.env;
const isTls = [SERVICE_TLS_ENABLED, SERVICE_TLS_ENABLED_FOR_HTTP].some((value) => value?.trim().toLowerCase() === "true");
const options = {
	host: "127.0.0.1",
	port: Number(SERVICE_PORT?.trim() || 6006),
	path: `${SERVICE_HOST_ROOT_PATH.trim().replace(/\/$/, "")}/readyz`,
	timeout: TIMEOUT_MS,
	// The certificate names the host that clients use, not this one.
	rejectUnauthorized: false,
};
const request = (isTls ? requestHttps : requestHttp)(options, (response) => end(response.statusCode === 200));
request.on("timeout", () => end(false));
request.on("error", () => end(false));
request.end();

function end(isReady) {
	process.exit(isReady ? 0 : 1);
}

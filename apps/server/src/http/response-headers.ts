import helmet from "@fastify/helmet";
import type { App } from "./app-type.ts";
import { COMPATIBILITY_VERSION, VERSION } from "./versions.ts";

/** Of every answer, also where no hook runs. */
export const VERSION_HEADERS = {
	"x-phoenix-server-version": COMPATIBILITY_VERSION,
	"x-spanward-version": VERSION,
	"x-colab-notebook-cache-control": "no-cache",
	vary: "Accept-Encoding",
} as const;

/** Headers of every answer, errors included: versions, and what keeps a browser from doing more than it has to. */
export async function setResponseHeaders(app: App): Promise<void> {
	await app.register(helmet, {
		// Nothing is loaded from another host, whatever a trace contains.
		contentSecurityPolicy: {
			useDefaults: false,
			directives: {
				defaultSrc: ["'self'"],
				baseUri: ["'self'"],
				connectSrc: ["'self'"],
				fontSrc: ["'self'", "data:"],
				formAction: ["'self'"],
				frameAncestors: ["'self'"],
				imgSrc: ["'self'", "data:", "blob:"],
				objectSrc: ["'none'"],
				scriptSrc: ["'self'"],
				scriptSrcAttr: ["'none'"],
				styleSrc: ["'self'"],
				// Widths and positions of rows are style attributes.
				styleSrcAttr: ["'unsafe-inline'"],
				workerSrc: ["'self'", "blob:"],
			},
		},
		// Both only mean something under https, and browsers complain about them without it.
		strictTransportSecurity: false,
		crossOriginOpenerPolicy: false,
		originAgentCluster: false,
	});
	app.addHook("onRequest", async (_request, reply) => {
		reply.headers(VERSION_HEADERS);
	});
	endConnectionsWhileClosing(app);
}

/** A connection that a client keeps open after the last answer would hold up the stop. */
function endConnectionsWhileClosing(app: App): void {
	let closing = false;
	app.addHook("preClose", async () => {
		closing = true;
	});
	app.addHook("onSend", async (_request, reply) => {
		if (closing) void reply.header("connection", "close");
	});
}

import {
	constants,
	createSecureServer,
	createServer,
	type Http2SecureServer,
	type Http2Server,
	type Http2Session,
	type IncomingHttpHeaders,
	type ServerHttp2Session,
	type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { SentHeaders } from "#access/auth/principals/read-bearer.ts";
import type { ExportSender } from "#access/rights/sender-rights.ts";
import type { Config } from "#base/config.ts";
import type { TlsMaterial } from "#base/settings/tls-material.ts";
import { type ClientAddress, clientAddress } from "#http/client-address.ts";
import { listenError } from "#http/listen-error.ts";
import type { Principal } from "#http/principal.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { internalError, metricsUnsupported, storageUnavailable, unknownMethod } from "./answers.ts";
import { apiKeyOf } from "./api-key-of.ts";
import { encodeExportResponse } from "./export-response.ts";
import { type GrpcRefusal, refusalOf, sendMessage, sendRefusal } from "./grpc-answer.ts";
import { FRAME_HEADER_BYTES, readGrpcMessage } from "./grpc-message.ts";
import { headerText } from "./header-text.ts";
import type { ExportAnswer, ExportRequest, Ingest } from "./ingest.ts";
import type { IngestLog } from "./ingest-pool.ts";
import { receiveBody, SILENCE_MS } from "./receive-body.ts";

/** A call whose message was not read. */
export interface GrpcCall {
	/** Path of the method: `/package.Service/Method`. */
	readonly method: string;
	/** The metadata. */
	readonly sent: SentHeaders;
	/** Of the client; behind a trusted proxy, the one that the proxy names. */
	readonly ip: string;
}

/** Who may send; the sender is undefined while everybody may. */
interface Admitted {
	readonly principal: Principal;
	readonly sender: ExportSender | undefined;
}

/** Who may send, or why nobody may. */
export type ExportAdmission = Admitted | { readonly refused: GrpcRefusal };

/** Decides by its metadata whether a caller may send. */
export type AuthorizeExport = (call: GrpcCall) => Promise<ExportAdmission>;

/** Authentication is off: everybody may send. */
export const admitEveryExport: AuthorizeExport = async () => ({ principal: { kind: "anonymous" }, sender: undefined });

export interface GrpcReceiver extends AsyncDisposable {
	readonly port: number;
	/** Serves new connections with this certificate; only where TLS is on. */
	readonly setSecureContext?: (material: TlsMaterial) => void;
	/** Tells callers to call another server from now on; calls that still come are answered. */
	drain(): void;
}

interface GrpcOptions {
	readonly config: Config;
	readonly host: string;
	readonly ingest: Ingest;
	readonly log: IngestLog;
	readonly authorize: AuthorizeExport;
	/** Called with the spans of each export that were stored. */
	readonly onStored?: (principal: Principal, spans: number) => void;
	/** Milliseconds after which a connection is hung up on if no call on it was admitted. */
	readonly firstCallMs?: number;
	/** Serve over TLS with this. */
	readonly tls?: TlsMaterial;
}

const SIGNALS: ReadonlyMap<string, ExportRequest["signal"]> = new Map([
	["/opentelemetry.proto.collector.trace.v1.TraceService/Export", "traces"],
	["/opentelemetry.proto.collector.logs.v1.LogsService/Export", "logs"],
]);
const METRICS = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";

/** Messages in protobuf; `+json` is another encoding, `-web` another framing. */
const MEDIA_TYPE = /^application\/grpc(?:\+proto)?\s*(?:;|$)/i;

/** Bytes that a sender may have in flight, so that a distant one is not held up at HTTP/2's 64 KiB. */
const STREAM_WINDOW_BYTES = 1_048_576;
const CONNECTION_WINDOW_BYTES = 4 * STREAM_WINDOW_BYTES;
const MAX_STREAMS_PER_CONNECTION = 128;
const MAX_SESSION_MEMORY_MEBIBYTES = 64;
const GRACE_MS = 4_000;
/** Announces an end without refusing anything: https://www.rfc-editor.org/rfc/rfc9113#section-6.8 */
const LAST_STREAM_ID = 2 ** 31 - 1;
/** While draining, a caller that a load balancer still sends here may call for so long before it is told to go elsewhere. */
const GOAWAY_DELAY_MS = 500;
const GOAWAY_PING_TIMEOUT_MS = 500;
const HANDSHAKE_MS = 10_000;
const FIRST_CALL_MS = 30_000;
/** A caller that takes longer for a message is authorized again. */
const SLOW_MESSAGE_MS = 100;

/**
 * OTLP over gRPC on Node's HTTP/2: messages come to the ingest queue as raw bytes, counted as they arrive, and are
 * inflated by its threads.
 * Sources: https://opentelemetry.io/docs/specs/otlp/#otlpgrpc,
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 * @throws Error naming the setting to change when the address cannot be bound
 */
export async function listenGrpc(options: GrpcOptions): Promise<GrpcReceiver> {
	const limits = {
		maxSessionMemory: MAX_SESSION_MEMORY_MEBIBYTES,
		settings: { initialWindowSize: STREAM_WINDOW_BYTES, maxConcurrentStreams: MAX_STREAMS_PER_CONNECTION },
	};
	const secure =
		options.tls === undefined
			? undefined
			: createSecureServer({ ...limits, handshakeTimeout: HANDSHAKE_MS, ...options.tls });
	const server = secure ?? createServer(limits);
	const addressOf = clientAddress(options.config);
	const sessions = new Set<ServerHttp2Session>();
	/**
	 * Connections without an admitted call so far, with the timers that end them: anybody could otherwise keep any
	 * number.
	 */
	const unknown = new Map<Http2Session, NodeJS.Timeout>();
	const know = (session: Http2Session) => {
		clearTimeout(unknown.get(session));
		unknown.delete(session);
	};
	const sendGoaway = (session: ServerHttp2Session) => {
		if (!session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM_ID);
	};
	let isDraining = false;
	server.on("session", (session) => {
		sessions.add(session);
		if (isDraining) setTimeout(sendGoaway, GOAWAY_DELAY_MS, session).unref();
		unknown.set(session, setTimeout(() => session.destroy(), options.firstCallMs ?? FIRST_CALL_MS).unref());
		session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
		session.on("close", () => {
			know(session);
			sessions.delete(session);
		});
	});
	// The peer's fault or a broken connection: there is nobody to answer to.
	server.on("sessionError", () => {});
	server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
		stream.on("error", () => {});
		const { session } = stream;
		const onAdmitted = () => session !== undefined && know(session);
		answerCall(stream, headers, raw, onAdmitted, addressOf, options).catch((error: unknown) => {
			if (!(error instanceof StorageUnavailable)) options.log.error({ err: error }, "a gRPC call failed");
			const answer = error instanceof StorageUnavailable ? storageUnavailable(error.reason) : internalError();
			sendRefusal(stream, refusalOf(answer));
		});
	});
	const port = await bind(server, options.host, options.config.SERVICE_GRPC_PORT);
	server.on("error", (error) => options.log.error({ err: error }, "the gRPC server failed"));
	return {
		port,
		drain() {
			isDraining = true;
			for (const session of sessions) sendGoaway(session);
		},
		...(secure === undefined ? {} : { setSecureContext: (material) => secure.setSecureContext(material) }),
		[Symbol.asyncDispose]: () => shutDown(server, sessions),
	};
}

async function answerCall(
	stream: ServerHttp2Stream,
	headers: IncomingHttpHeaders,
	rawMetadata: readonly string[],
	onAdmitted: () => void,
	addressOf: ClientAddress,
	options: GrpcOptions,
): Promise<void> {
	if (!MEDIA_TYPE.test(headers["content-type"] ?? "")) {
		stream.respond({ ":status": 415 }, { endStream: true });
		return;
	}
	const path = headers[":path"] ?? "";
	const ip = addressOf(stream.session?.socket.remoteAddress ?? "", headers);
	const call = { method: path, sent: { headers, rawHeaders: rawMetadata }, ip };
	const authorize = () => options.authorize(call);
	const admitted = await authorize();
	if ("refused" in admitted) {
		sendRefusal(stream, admitted.refused);
		return;
	}
	onAdmitted();
	const signal = SIGNALS.get(path);
	const answer =
		signal === undefined ? unsupported(path) : await submit(stream, headers, signal, { admitted, authorize }, options);
	if ("status" in answer) options.onStored?.(admitted.principal, answer.acceptedSpans);
	if (!("status" in answer)) sendRefusal(stream, answer);
	else if (answer.status === 200 && signal !== undefined) sendMessage(stream, encodeExportResponse(answer, signal));
	else sendRefusal(stream, refusalOf(answer));
}

function unsupported(path: string): ExportAnswer {
	return path === METRICS ? metricsUnsupported() : unknownMethod(path);
}

async function submit(
	stream: ServerHttp2Stream,
	headers: IncomingHttpHeaders,
	signal: ExportRequest["signal"],
	{ admitted, authorize }: { readonly admitted: Admitted; readonly authorize: () => Promise<ExportAdmission> },
	{ config, ingest }: GrpcOptions,
): Promise<ExportAnswer | GrpcRefusal> {
	const began = performance.now();
	stream.setTimeout(SILENCE_MS, () => stream.close(constants.NGHTTP2_CANCEL));
	const limit = config.SERVICE_OTLP_MAX_BODY_BYTES + FRAME_HEADER_BYTES;
	const received = await receiveBody(stream, ingest, limit, undefined);
	stream.setTimeout(0);
	if ("refused" in received) {
		ingest.countRefusal(received.refused);
		return received.refused;
	}
	const current = performance.now() - began > SLOW_MESSAGE_MS ? await authorize() : admitted;
	if ("refused" in current) {
		received.reservation.release();
		return current.refused;
	}
	const { sender, principal } = current;
	const message = readGrpcMessage(received.body, headers["grpc-encoding"]?.toString());
	if ("refused" in message) {
		received.reservation.release();
		ingest.countRefusal(message.refused);
		return message.refused;
	}
	const projectName = headerText(headers["x-project-name"]);
	return ingest.submit(
		{
			...{ signal, format: "protobuf", ...message, sender, ...apiKeyOf(principal) },
			...(projectName === undefined ? {} : { projectName }),
		},
		received.reservation,
	);
}

function bind(server: Http2Server | Http2SecureServer, host: string, port: number): Promise<number> {
	return new Promise((resolve, reject) => {
		const fail = (error: Error) => reject(listenError(error, host, port, "SERVICE_GRPC_PORT"));
		server.once("error", fail);
		server.listen({ host, port }, () => {
			server.off("error", fail);
			resolve((server.address() as AddressInfo).port);
		});
	});
}

/** Lets running calls end, for some seconds. */
async function shutDown(
	server: Http2Server | Http2SecureServer,
	sessions: ReadonlySet<ServerHttp2Session>,
): Promise<void> {
	await Promise.all(Array.from(sessions, sendGoawayAndPing));
	const closed = new Promise<void>((resolve) => server.close(() => resolve()));
	for (const session of sessions) session.close();
	const force = setTimeout(() => {
		for (const session of sessions) session.destroy();
	}, GRACE_MS);
	await closed;
	clearTimeout(force);
}

/** Tells a caller to call another server. Once it answers the ping, every call that it made before has arrived. */
async function sendGoawayAndPing(session: ServerHttp2Session): Promise<void> {
	if (session.destroyed) return;
	session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM_ID);
	const heard = new Promise<void>((resolve) => {
		if (!session.ping(() => resolve())) resolve();
	});
	await Promise.race([heard, sleep(GOAWAY_PING_TIMEOUT_MS, undefined, { ref: false })]);
}

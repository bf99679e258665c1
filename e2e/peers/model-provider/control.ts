import type { Finish, Usage } from "./call.ts";

/** Members of `POST /_control`. What is absent stays as it is. */
export interface Control {
	/** Forgets requests, counters and everything that was set before; the rest of the members holds afterwards. */
	readonly reset?: true;
	/** By the name of the model; "*" for those that have no entry. */
	readonly models?: Readonly<Record<string, ModelControl | null>>;
	/** Keys that are taken: API keys, bearer tokens, and `<access key id>:<secret access key>` of AWS. Null takes any. */
	readonly keys?: readonly string[] | null;
	/** Names in lists of models, in place of the usual ones. */
	readonly listed?: readonly string[] | null;
	/** Where redirects lead; a path of this server where null. */
	readonly redirectTo?: string | null;
	readonly tokens?: TokenControl;
	readonly proxy?: ProxyControl;
}

export interface ModelControl {
	/** In place of those that the name says. */
	readonly behaviours?: readonly string[];
	/** One for each request, in the order in which they arrive; the last one stays. */
	readonly answers?: readonly GivenAnswer[];
	/** Before `answers`: for requests in whose messages the text is. */
	readonly when?: readonly { readonly contains: string; readonly answer: GivenAnswer }[];
}

/** What is absent is as usual. */
export interface GivenAnswer {
	readonly text?: string;
	/** What is asked for as structured output, or the arguments of a tool that has to be called; else the text. */
	readonly json?: unknown;
	readonly reasoning?: string;
	/** `arguments` as a text goes out as it is. */
	readonly toolCalls?: readonly { readonly name: string; readonly arguments: unknown }[];
	readonly finish?: Finish;
	readonly usage?: Partial<Usage>;
	/** The name of the model that the answer says. */
	readonly answeredBy?: string;
	/** For this answer alone, beside those of the model. */
	readonly behaviours?: readonly string[];
}

export interface TokenControl {
	/** Public keys in PEM by e-mail of service accounts; others are refused. Null takes any signature. */
	readonly serviceAccounts?: Readonly<Record<string, string>> | null;
	/** `<tenant>/<client id>` to client secret; others are refused. Null takes any. */
	readonly clients?: Readonly<Record<string, string>> | null;
	/** Seconds that tokens are good for. */
	readonly expiresIn?: number;
	/** In place of an answer. */
	readonly status?: number | null;
}

export interface ProxyControl {
	/** Null takes everybody. */
	readonly credentials?: { readonly user: string; readonly password: string } | null;
	/** What becomes of connections that are asked for; "open" at first. */
	readonly mode?: "open" | "refuse" | "unavailable" | "silent" | "cut";
}

/** A request as it arrived, and what became of it. */
export interface RecordedRequest {
	/** Counted from 1. */
	readonly number: number;
	readonly method: string;
	/** With the query, as sent. */
	readonly path: string;
	/** Names and values in turn, as sent. */
	readonly rawHeaders: readonly string[];
	/** In base64. */
	readonly body: string;
	/** Through which of the listeners. */
	readonly listener: ListenerName;
	/** The host name that TLS was opened for. */
	readonly serverName?: string;
	readonly wire?: string;
	readonly model?: string;
	/** Milliseconds since 1970. */
	readonly startedAt: number;
	/** When the answer was sent, or the client went away; absent while it runs. */
	readonly endedAt?: number;
	readonly status?: number;
	/** The client went away before the answer was whole. */
	readonly wasCancelled: boolean;
	/** Of the same model, running when this one had arrived, itself included. */
	readonly concurrency?: number;
}

export interface ConnectRequest {
	/** `host:port`, or the address that was asked for without a tunnel. */
	readonly target: string;
	readonly authorization?: string;
	readonly status: number;
	readonly at: number;
}

/** Of one model, or of all. */
export interface Counters {
	readonly requests: number;
	readonly running: number;
	/** The most that ran at once. */
	readonly most: number;
	readonly cancelled: number;
}

/** `http`, or the certificate of `e2e/certificates` that TLS is served with. */
export type ListenerName = "http" | CertificateName;
export type CertificateName = "server" | "untrusted" | "wrong-host" | "expired";

/** The ports that the process says when it listens. */
export interface Ports {
	readonly http: number;
	readonly tls: Readonly<Record<CertificateName, number>>;
	readonly proxy: number;
	readonly tlsProxy: number;
}

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SMTPServer } from "smtp-server";

const CERTIFICATES = join(import.meta.dirname, "certificates");
const WITHIN_MS = 150_000;

export const MAIL_USER = "mail-user";
export const MAIL_PASSWORD = "mail-password-7f3a";
/** File of the authority that signed the sink's certificate. */
export const MAIL_AUTHORITY = join(CERTIFICATES, "authority.pem");

/** Names of certificates in `e2e/certificates`. */
export type CertificateName = "server" | "wrong-host" | "expired" | "untrusted";

export interface MailSinkOptions {
	/** TLS from the first byte; else STARTTLS is offered. */
	readonly implicitTls?: boolean;
	/** Offers no STARTTLS, and takes log-ins unencrypted. */
	readonly withoutStartTls?: boolean;
	readonly certificate?: CertificateName;
	/** Takes no user and password. */
	readonly refuseLogIn?: boolean;
	/** As many mails are refused with this reply before others are taken. */
	readonly refusals?: { readonly status: number; readonly count: number };
}

export interface ReceivedMail {
	/** Of the envelope. */
	readonly from: string;
	readonly to: readonly string[];
	/** What the client called itself in EHLO. */
	readonly clientName: string;
	readonly encrypted: boolean;
	readonly user: string | undefined;
	/** As sent, header and body. */
	readonly raw: string;
	/** Unfolded, by lower-case name; a header that is there twice has two values. */
	readonly headers: ReadonlyMap<string, readonly string[]>;
	/** The decoded parts. */
	readonly text: string;
	readonly html: string;
}

/** A mail server in this process that keeps what it receives. */
export class MailSink implements AsyncDisposable {
	readonly mails: ReceivedMail[] = [];
	/** Credentials that were sent, right or not, and whether the connection was encrypted. */
	readonly logIns: { readonly user: string; readonly password: string; readonly encrypted: boolean }[] = [];
	/** Connections that were made, whatever came of them. */
	connections = 0;
	readonly #server: SMTPServer;
	#port = 0;
	#refusals: number;

	private constructor(options: MailSinkOptions) {
		this.#refusals = options.refusals?.count ?? 0;
		const certificate = options.certificate ?? "server";
		this.#server = new SMTPServer({
			name: "sink.example",
			secure: options.implicitTls ?? false,
			disabledCommands: options.withoutStartTls ? ["STARTTLS"] : [],
			allowInsecureAuth: options.withoutStartTls ?? false,
			disableReverseLookup: true,
			key: readFileSync(join(CERTIFICATES, `${certificate}.key`)),
			cert: readFileSync(join(CERTIFICATES, `${certificate}.pem`)),
			closeTimeout: 100,
			onConnect: (_session, done) => {
				this.connections++;
				done();
			},
			onAuth: ({ username, password }, session, done) => {
				this.logIns.push({ user: username ?? "", password: password ?? "", encrypted: session.secure });
				const isRight = !options.refuseLogIn && username === MAIL_USER && password === MAIL_PASSWORD;
				if (isRight) done(null, { user: MAIL_USER });
				else done(new Error("no such user"));
			},
			onMailFrom: (_address, _session, done) => {
				if (this.#refusals-- > 0) done(smtpError(options.refusals?.status ?? 451));
				else done();
			},
			onData: (stream, session, done) => {
				const chunks: Buffer[] = [];
				stream.on("data", (chunk: Buffer) => chunks.push(chunk));
				stream.on("end", () => {
					const { mailFrom, rcptTo } = session.envelope;
					const raw = Buffer.concat(chunks).toString("utf8");
					this.mails.push({
						from: mailFrom === false ? "" : mailFrom.address,
						to: rcptTo.map(({ address }) => address),
						clientName: session.hostNameAppearsAs,
						encrypted: session.secure,
						user: session.user,
						raw,
						...parseMail(raw),
					});
					done();
				});
			},
		});
		// Clients that do not trust the certificate end the connection.
		this.#server.on("error", () => undefined);
	}

	static async start(options: MailSinkOptions = {}): Promise<MailSink> {
		const sink = new MailSink(options);
		const server = sink.#server.listen(0, "127.0.0.1");
		await once(server, "listening");
		sink.#port = portOf(server);
		return sink;
	}

	get port(): number {
		return this.#port;
	}

	/** The settings of a server that sends its mails here. */
	get env(): Readonly<Record<string, string>> {
		return mailSettings(this.#port);
	}

	/** The mails to this address, once there are `count`. @throws after some seconds without */
	async waitFor(address: string, count = 1): Promise<readonly ReceivedMail[]> {
		return await this.waitUntil(`${count} mails to ${address}`, () => {
			const mails = this.mailsTo(address);
			return mails.length >= count ? mails : undefined;
		});
	}

	/** What `find` finds, once it does. @throws after some seconds, naming `what` */
	async waitUntil<T>(what: string, find: () => T | undefined | Promise<T | undefined>): Promise<T> {
		const deadline = Date.now() + WITHIN_MS;
		for (;;) {
			const found = await find();
			if (found !== undefined) return found;
			if (Date.now() > deadline) {
				const subjects = this.mails.map(({ to, headers }) => `${to} ${headers.get("subject")}`);
				throw new Error(`${what} did not come within ${WITHIN_MS / 1_000} s, but: ${subjects.join("; ")}`);
			}
			await sleep(10);
		}
	}

	mailsTo(address: string): readonly ReceivedMail[] {
		return this.mails.filter(({ to }) => to.includes(address));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await new Promise<void>((resolve) => this.#server.close(() => resolve()));
	}
}

/** Takes connections and never says a word. */
export class SilentMailServer implements AsyncDisposable {
	readonly #sockets = new Set<Socket>();
	readonly #server = createServer((socket) => {
		this.#sockets.add(socket);
		socket.on("error", () => undefined);
	});

	static async start(): Promise<SilentMailServer> {
		const silent = new SilentMailServer();
		await once(silent.#server.listen(0, "127.0.0.1"), "listening");
		return silent;
	}

	get env(): Readonly<Record<string, string>> {
		return mailSettings(portOf(this.#server));
	}

	get connections(): number {
		return this.#sockets.size;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const socket of this.#sockets) socket.destroy();
		this.#server.close();
		await once(this.#server, "close");
	}
}

/** Text between the tags of the HTML element with this id, and its `href`. */
export function linkOf({ html }: ReceivedMail, id: string): string {
	const tag = new RegExp(`<a [^>]*\\bid="${id}"[^>]*>`).exec(html)?.[0] ?? "";
	const href = /\bhref="([^"]*)"/.exec(tag)?.[1];
	if (href === undefined) throw new Error(`the mail has no link with the id ${id}`);
	return href.replace(/&#(\d+);/g, (_entity, code: string) => String.fromCodePoint(Number(code)));
}

function mailSettings(port: number): Readonly<Record<string, string>> {
	return {
		SERVICE_SMTP_HOSTNAME: "127.0.0.1",
		SERVICE_SMTP_PORT: String(port),
		SERVICE_SMTP_USERNAME: MAIL_USER,
		SERVICE_SMTP_PASSWORD: MAIL_PASSWORD,
		SERVICE_SMTP_CA_CERT_FILE: MAIL_AUTHORITY,
		SERVICE_SMTP_MAIL_FROM: "noreply@traces.example",
	};
}

function parseMail(raw: string): Pick<ReceivedMail, "headers" | "text" | "html"> {
	const { headers, body } = splitPart(raw);
	const boundary = /boundary="?([^";]+)/.exec(headers.get("content-type")?.[0] ?? "")?.[1];
	const parts = boundary === undefined ? [raw] : body.split(`--${boundary}`).slice(1, -1);
	return { headers, text: findPart(parts, "text/plain"), html: findPart(parts, "text/html") };
}

function findPart(parts: readonly string[], type: string): string {
	for (const part of parts) {
		const { headers, body } = splitPart(part.replace(/^\r\n/, ""));
		if (headers.get("content-type")?.[0]?.startsWith(type)) {
			return decode(headers.get("content-transfer-encoding")?.[0] ?? "7bit", body);
		}
	}
	return "";
}

function splitPart(part: string): { headers: Map<string, string[]>; body: string } {
	const [head = "", body = ""] = part.split(/\r\n\r\n(.*)/s);
	const headers = new Map<string, string[]>();
	for (const line of head.replace(/\r\n[ \t]+/g, " ").split("\r\n")) {
		const [name = "", value = ""] = line.split(/:\s*(.*)/s);
		headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value]);
	}
	return { headers, body };
}

function decode(encoding: string, body: string): string {
	switch (encoding.toLowerCase()) {
		case "base64":
			return Buffer.from(body, "base64").toString("utf8");
		case "quoted-printable": {
			const bytes = body
				.replace(/=\r\n/g, "")
				.replace(/=([0-9A-F]{2})/g, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
			return Buffer.from(bytes, "latin1").toString("utf8").replace(/\r\n/g, "\n");
		}
		default:
			return body.replace(/\r\n/g, "\n");
	}
}

function smtpError(status: number): Error {
	return Object.assign(new Error("not now"), { responseCode: status });
}

function portOf(server: { address(): unknown }): number {
	const address = server.address();
	if (typeof address !== "object" || address === null || !("port" in address))
		throw new Error("expected a TCP address");
	return Number(address.port);
}

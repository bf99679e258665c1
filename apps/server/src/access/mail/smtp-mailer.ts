import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { domainToASCII } from "node:url";
import type { FastifyBaseLogger } from "fastify";
import type { Transporter } from "nodemailer";
import type { Config } from "#base/config.ts";
import { isLoopback } from "#base/loopback.ts";
import { present } from "#base/present.ts";
import { mailSender } from "#base/settings/derived.ts";
import { type DeliveryFailure, explainFailure, isFinal } from "./delivery-errors.ts";
import type { Mail, Mailer } from "./mailer.ts";

const SENDER_NAME = "Spanward";
const AT_ONCE = 2;
const MAX_QUEUED = 300;
const PAUSES_MS = [2_000, 20_000] as const;
const TIMEOUT_MS = 10_000;
/** Limits a whole try: a server that sends a byte now and then must not hold a connection for ever. */
const TRY_MS = 60_000;
const GRACE_MS = 3_000;
/** Refuses what mail libraries disagree about: quotes, lists, comments, white space, control characters. */
const ADDRESS = /^[^\s\p{C}"(),:;<>@[\\\]]{1,254}@[^\s\p{C}"(),:;<>@[\\\]]{1,253}$/u;

export interface SmtpMailerOptions {
	/** Milliseconds before the second, third… try, during which others are sent; as many more tries as pauses. */
	readonly pausesMs?: readonly number[];
	/** Milliseconds that waiting mails get when the service stops. */
	readonly graceMs?: number;
}

interface QueuedMail {
	readonly mail: Mail;
	tries: number;
}

type SmtpSettings = Pick<Config, (keyof Config & `SERVICE_SMTP_${string}`) | "SERVICE_ROOT_URL">;

/**
 * Sends mails over SMTP, a few at a time, from a bounded queue in memory. Each connection is encrypted and its
 * certificate checked, unless the settings say otherwise; there is no fallback to less. Disposing sends for some seconds
 * what waits and drops the rest.
 */
export class SmtpMailer implements Mailer {
	readonly isConfigured = true;
	readonly #transport: Transporter;
	readonly #sender: string;
	readonly #server: string;
	readonly #log: FastifyBaseLogger;
	readonly #pausesMs: readonly number[];
	readonly #graceMs: number;
	/** Mails whose turn has come but that no connection has taken up yet, the oldest first. */
	readonly #waiting: QueuedMail[] = [];
	/** Mails that wait for their next try, with its timer. */
	readonly #resting = new Map<QueuedMail, NodeJS.Timeout>();
	readonly #deliveries = new Set<Promise<void>>();
	#connections = 0;
	#isStopping = false;
	/** Ends the tries that still run when the grace is over. */
	readonly #stopped = new AbortController();

	/** @throws Error naming the setting when the file of the certificate authority cannot be read */
	constructor(config: SmtpSettings, log: FastifyBaseLogger, options: SmtpMailerOptions = {}) {
		// Loaded only where mails are sent, as it takes megabytes.
		const { createTransport } = createRequire(import.meta.url)("nodemailer") as typeof import("nodemailer");
		this.#transport = createTransport(transportOptions(config));
		this.#sender = mailSender(config);
		this.#server = `${config.SERVICE_SMTP_HOSTNAME}:${config.SERVICE_SMTP_PORT}`;
		this.#log = log;
		this.#pausesMs = options.pausesMs ?? PAUSES_MS;
		this.#graceMs = options.graceMs ?? GRACE_MS;
		warnOfWeakSettings(config, log);
	}

	send(mail: Mail): void {
		const refused = this.#refusal(mail);
		if (refused === undefined) this.#enqueue({ mail, tries: 0 });
		else this.#log.error({ subject: mail.subject }, `a mail was dropped: ${refused}`);
	}

	async deliver(mail: Mail): Promise<DeliveryFailure | undefined> {
		const refused = this.#refusal(mail);
		if (refused !== undefined) return { code: "refused", reason: refused };
		const failure = await this.#try(mail);
		return failure === undefined ? undefined : explainFailure(failure);
	}

	#refusal(mail: Mail): string | undefined {
		if (this.#isStopping) return "the service stops";
		if (!ADDRESS.test(mail.to) || (mail.cc !== undefined && !ADDRESS.test(mail.cc))) return "its address is none";
		if (this.#waiting.length + this.#resting.size >= MAX_QUEUED) return `${MAX_QUEUED} others wait for the mail server`;
		return undefined;
	}

	#enqueue(queued: QueuedMail): void {
		this.#waiting.push(queued);
		if (this.#connections >= AT_ONCE) return;
		this.#connections++;
		const delivery = this.#deliverWaiting().finally(() => this.#deliveries.delete(delivery));
		this.#deliveries.add(delivery);
	}

	async #deliverWaiting(): Promise<void> {
		for (let queued = this.#waiting.shift(); queued !== undefined; queued = this.#waiting.shift()) {
			const failure = await this.#try(queued.mail);
			queued.tries++;
			if (failure !== undefined) this.#tryAgainLater(queued, failure);
		}
		this.#connections--;
	}

	/** Not when it was refused for good or tried often enough. */
	#tryAgainLater(queued: QueuedMail, failure: unknown): void {
		const about = { subject: queued.mail.subject, server: this.#server, ...explainFailure(failure) };
		const pauseMs = this.#pausesMs[queued.tries - 1];
		if (pauseMs === undefined || isFinal(failure) || this.#stopped.signal.aborted) {
			this.#log.error(about, "a mail could not be sent");
			return;
		}
		this.#log.warn(about, "a mail could not be sent yet; it will be tried again");
		const again = () => {
			this.#resting.delete(queued);
			this.#enqueue(queued);
		};
		if (this.#isStopping) again();
		else this.#resting.set(queued, setTimeout(again, pauseMs));
	}

	/** One try; the failure when there was one. */
	async #try(mail: Mail): Promise<unknown> {
		try {
			await this.#transport.sendMail({
				from: { name: SENDER_NAME, address: this.#sender },
				to: { name: "", address: mail.to },
				...(mail.cc === undefined ? {} : { cc: { name: "", address: mail.cc } }),
				subject: mail.subject,
				text: mail.text,
				html: mail.html,
				textEncoding: "quoted-printable",
				// RFC 3834: nobody should send an automatic reply, such as an absence notice.
				headers: { "Auto-Submitted": "auto-generated" },
				signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(TRY_MS)]),
			});
			return undefined;
		} catch (error) {
			return error;
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isStopping = true;
		for (const [queued, timer] of this.#resting) {
			clearTimeout(timer);
			this.#enqueue(queued);
		}
		this.#resting.clear();
		const late = setTimeout(() => this.#stop(), this.#graceMs);
		while (this.#deliveries.size > 0) await Promise.all(this.#deliveries);
		clearTimeout(late);
	}

	#stop(): void {
		const dropped = this.#waiting.splice(0).length;
		if (dropped > 0) this.#log.error({ dropped }, "the server is stopping; waiting mails are dropped");
		this.#stopped.abort();
	}
}

function transportOptions(config: SmtpSettings) {
	const mode = modeOf(config);
	const caFile = config.SERVICE_SMTP_CA_CERT_FILE;
	const { SERVICE_SMTP_USERNAME: user, SERVICE_SMTP_PASSWORD: password } = config;
	return {
		host: present(config.SERVICE_SMTP_HOSTNAME, "SERVICE_SMTP_HOSTNAME"),
		port: config.SERVICE_SMTP_PORT,
		// This machine's own name is not disclosed.
		name: domainToASCII(mailSender(config).split("@").at(-1) ?? "") || "localhost",
		secure: mode === "tls",
		requireTLS: mode === "starttls",
		ignoreTLS: mode === "none",
		tls: {
			rejectUnauthorized: config.SERVICE_SMTP_VALIDATE_CERTS,
			...(caFile === null ? {} : { ca: readAuthority(caFile) }),
		},
		...(user === null || password === null ? {} : { auth: { user, pass: password.reveal() } }),
		connectionTimeout: TIMEOUT_MS,
		greetingTimeout: TIMEOUT_MS,
		socketTimeout: TIMEOUT_MS,
		dnsTimeout: TIMEOUT_MS,
		disableFileAccess: true,
		disableUrlAccess: true,
	};
}

function modeOf(config: SmtpSettings): "starttls" | "tls" | "none" {
	return config.SERVICE_SMTP_TLS_MODE ?? (config.SERVICE_SMTP_PORT === 465 ? "tls" : "starttls");
}

function readAuthority(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		throw new Error(`SERVICE_SMTP_CA_CERT_FILE cannot be read: ${error instanceof Error ? error.message : error}`, {
			cause: error,
		});
	}
}

function warnOfWeakSettings(config: SmtpSettings, log: FastifyBaseLogger): void {
	if (modeOf(config) !== "none") {
		if (config.SERVICE_SMTP_VALIDATE_CERTS) return;
		log.warn(
			"SERVICE_SMTP_VALIDATE_CERTS=false accepts any machine as the mail server; SERVICE_SMTP_CA_CERT_FILE is the safe way to accept a certificate from your own authority",
		);
	} else if (!isLoopback(present(config.SERVICE_SMTP_HOSTNAME, "SERVICE_SMTP_HOSTNAME"))) {
		log.warn(
			"SERVICE_SMTP_TLS_MODE=none sends mails, the links in them and SERVICE_SMTP_PASSWORD unencrypted: anybody who listens in between can take over accounts",
		);
	}
}

import type { FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import { type Principal, userOf } from "#http/principal.ts";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import { UnprovenEntries } from "./unproven-entries.ts";

/** What happened, as `<what>.<verb>`. */
export const AUDIT_ACTIONS = [
	"login",
	"login.locked",
	"logout",
	"logout.everywhere",
	"session.end",
	"session.reuse",
	"password.change",
	"password.reset",
	"password.reset_request",
	"user.create",
	"user.update",
	"user.delete",
	"user.bind",
	"user.unbind",
	"sign_in.try",
	"mail.try",
	"api_key.create",
	"api_key.update",
	"api_key.rotate",
	"api_key.expired_notice",
	"api_key.delete",
	"secret.write",
	"secret.delete",
	"secret.view",
	"model_connection.create",
	"model_connection.update",
	"model_connection.delete",
	"model_connection.confirm",
	"model_connection.test",
	"access.update",
	"access.rule.create",
	"access.rule.update",
	"access.rule.delete",
	"access.policy",
	"team.create",
	"team.update",
	"team.delete",
	"team.member.add",
	"team.member.remove",
	"mcp.write",
	"oauth.client.create",
	"oauth.client.update",
	"oauth.client.delete",
	"oauth.grant.create",
	"oauth.grant.revoke",
	"oauth.reuse",
	"oauth.device",
	"evaluator.create",
	"evaluator.update",
	"evaluator.delete",
	"experiment_job.start",
	"repair.start",
	"repair.cancel",
	"review_queue.create",
	"review_queue.update",
	"review_queue.fill",
	"review_queue.remove_items",
	"review_queue.adjudicate",
	"review_queue.gold",
	"review_queue.delete",
	"access.denied",
	"access.widened",
	"service.start",
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Where a request comes from. */
export type Origin = Pick<FastifyRequest, "ip" | "id" | "headers">;

/** What an entry is about; ids are row numbers. */
export type AuditTarget =
	| {
			readonly type:
				| "user"
				| "user_api_key"
				| "system_api_key"
				| "session"
				| "repair"
				| "project"
				| "team"
				| "access_rule"
				| "oauth2_client"
				| "oauth2_grant"
				| "evaluator"
				| "experiment_job"
				| "model_connection"
				| "review_queue";
			readonly id?: number;
			readonly name?: string;
	  }
	| { readonly type: "dataset" | "prompt"; readonly id?: number; readonly name: string }
	| { readonly type: "secret" | "route" | "library" | "access_policy"; readonly id?: never; readonly name: string };

export interface AuditEntry {
	readonly action: AuditAction;
	readonly outcome: "success" | "failure" | "denied";
	/** Stable, for programs: the code of the error. */
	readonly code?: string;
	/** Who did it; absent where nobody proved an identity, as in a failed log-in, and for the service itself. */
	readonly principal?: Principal;
	readonly target?: AuditTarget;
	/** Where it came from; absent for what the service does by itself. */
	readonly request?: Origin;
	/** Further facts, never a password, token, code or cookie. */
	readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

const MAX_TEXT = 256;

/** The log of who did what. Entries of a change are written in its transaction, so that both are kept or neither. */
export class AuditLog {
	readonly #db: Database;
	readonly #now: () => number;
	readonly #unproven = new UnprovenEntries();
	/** What was decided on the entries of a request, as its transaction may be run again. */
	readonly #decided = new WeakMap<Origin, Map<AuditAction, number | undefined>>();

	constructor(db: Database, now: () => number) {
		this.#db = db;
		this.#now = now;
	}

	/** Writes an entry of its own, for what changes nothing. */
	async record(entry: AuditEntry): Promise<void> {
		const admitted = toAdmitted(entry, this.#unproven.admit(entry, this.#now())?.leftOut);
		if (admitted !== undefined) await this.#db.write((transaction) => this.#insert(transaction, admitted));
	}

	/** Writes an entry in the transaction of the change. */
	async recordIn(transaction: Kysely<Tables>, entry: AuditEntry): Promise<void> {
		const admitted = toAdmitted(entry, this.#leftOutBefore(entry));
		if (admitted !== undefined) await this.#insert(transaction, admitted);
	}

	#leftOutBefore(entry: AuditEntry): number | undefined {
		const { request, action } = entry;
		if (request === undefined) return 0;
		const decided = this.#decided.get(request) ?? new Map<AuditAction, number | undefined>();
		this.#decided.set(request, decided);
		if (!decided.has(action)) decided.set(action, this.#unproven.admit(entry, this.#now())?.leftOut);
		return decided.get(action);
	}

	async #insert(transaction: Kysely<Tables>, entry: AuditEntry): Promise<void> {
		const { principal, target, request } = entry;
		const actor = principal === undefined ? undefined : userOf(principal);
		await transaction
			.insertInto("audit_events")
			.values({
				time: this.#now(),
				action: entry.action,
				outcome: entry.outcome,
				code: entry.code ?? null,
				actor_kind: principal?.kind ?? "none",
				actor_id: actor?.id ?? null,
				actor_name: actor === undefined ? null : cut(actor.username),
				target_type: target?.type ?? null,
				target_id: target?.id ?? null,
				target_name: target?.name === undefined ? null : cut(target.name),
				ip: request === undefined ? null : cut(request.ip),
				user_agent: request === undefined ? null : cut(request.headers["user-agent"] ?? ""),
				request_id: request?.id ?? null,
				details: entry.details === undefined ? null : JSON.stringify(cutDetails(entry.details)),
			})
			.execute();
	}
}

/** @param leftOut entries before it that were left out; undefined for one of too many that anybody can cause */
function toAdmitted(entry: AuditEntry, leftOut: number | undefined): AuditEntry | undefined {
	if (leftOut === undefined || leftOut === 0) return leftOut === 0 ? entry : undefined;
	return { ...entry, details: { ...entry.details, left_out: leftOut } };
}

function cutDetails(details: NonNullable<AuditEntry["details"]>): AuditEntry["details"] {
	return Object.fromEntries(
		Object.entries(details).map(([name, value]) => [name, typeof value === "string" ? cut(value) : value]),
	);
}

/** Control characters, characters that turn or hide text, line and paragraph separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Cuts a text, and escapes what acts on a terminal, breaks a line or shows as something else. */
function cut(text: string): string {
	return [...text.toWellFormed()]
		.slice(0, MAX_TEXT)
		.join("")
		.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Config } from "../config.ts";
import type { Database } from "../storage/database.ts";
import type { Principal, PrincipalUser } from "./principal.ts";

/** What the credentials of a request prove: a principal, or why there is none. */
export type Credentials =
	| { readonly principal: Principal }
	| { readonly refused: "missing" | "invalid" | "expired" | "ambiguous" };

/** Finds who sends a request. */
export class Principals {
	readonly #config: Config;
	readonly #db: Database;

	constructor(config: Config, db: Database) {
		this.#config = config;
		this.#db = db;
	}

	/** Reads `Authorization`, else the access cookie. */
	async authenticate(headers: IncomingHttpHeaders): Promise<Credentials> {
		const { authorization } = headers;
		if (authorization === undefined) return { refused: "missing" };
		const token = /^bearer ([\x21-\x7e]{1,4096})$/i.exec(authorization)?.[1];
		if (token === undefined || !this.#isAdminSecret(token)) return { refused: "invalid" };
		return { principal: { kind: "admin_secret", user: await this.#systemUser() } };
	}

	/** To be called after every change of users, sessions and keys, before its answer. */
	invalidate(): void {}

	#isAdminSecret(token: string): boolean {
		const secret = this.#config.SERVICE_ADMIN_SECRET;
		return secret !== null && timingSafeEqual(digest(token), digest(secret.reveal()));
	}

	async #systemUser(): Promise<PrincipalUser> {
		const row = await this.#db.read
			.selectFrom("users")
			.select(["id", "username", "email", "role", "auth_method"])
			.where("role", "=", "SYSTEM")
			.orderBy("id")
			.limit(1)
			.executeTakeFirstOrThrow();
		return { id: row.id, username: row.username, email: row.email, role: row.role, authMethod: row.auth_method };
	}
}

function digest(text: string): Buffer {
	return createHash("sha256").update(text).digest();
}

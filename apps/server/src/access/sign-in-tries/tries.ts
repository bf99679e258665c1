import { randomBytes } from "node:crypto";
import type { z } from "zod";
import type { Context } from "#context.ts";
import { formatTime } from "#http/wire-times.ts";
import type { Database } from "#storage/database.ts";
import type { SignInErrorCode, Step } from "../sign-in/steps.ts";
import { boundedClaims, boundedSteps } from "./bounded-report.ts";
import { SignInTry } from "./schemas.ts";

export interface TryReport {
	readonly method: "OAUTH2" | "LDAP";
	/** Id; null for LDAP. */
	readonly provider: string | null;
	/** The code that the log-in page would have got; null for a person who would have been let in. */
	readonly code: SignInErrorCode | null;
	readonly steps: readonly Step[];
	/** As the provider sent them, merged; null when the try did not get that far, and for LDAP. */
	readonly claims: Readonly<Record<string, unknown>> | null;
}

const MINUTE = 60_000_000;
const KEPT_FOR = 10 * MINUTE;
const MAX_PER_USER = 20;
const ID_BYTES = 18;

export function toSignInTry(report: TryReport, now: number): z.output<typeof SignInTry> {
	return {
		method: report.method,
		provider: report.provider,
		at: formatTime(now),
		accepted: report.code === null,
		code: report.code,
		steps: boundedSteps(report.steps),
		claims: report.claims === null ? null : boundedClaims(report.claims),
	};
}

/** Keeps the result of a try for the admin who made it, for some minutes. @returns its id */
export async function storeTry(
	{ db, now }: { readonly db: Pick<Database, "write">; readonly now: () => number },
	userId: number,
	report: TryReport,
): Promise<string> {
	const id = randomBytes(ID_BYTES).toString("base64url");
	const at = now();
	const row = { id, user_id: userId, report: JSON.stringify(toSignInTry(report, at)), expires_at: at + KEPT_FOR };
	await db.write(async (transaction) => {
		await transaction.deleteFrom("sign_in_tries").where("expires_at", "<=", at).execute();
		const isThere = await transaction.selectFrom("users").select("id").where("id", "=", userId).executeTakeFirst();
		// The admin was deleted meanwhile: nobody is left to read it.
		if (isThere === undefined) return;
		await transaction.insertInto("sign_in_tries").values(row).execute();
		await transaction
			.deleteFrom("sign_in_tries")
			.where("user_id", "=", userId)
			.where("id", "not in", (tries) =>
				tries
					.selectFrom("sign_in_tries")
					.select("id")
					.where("user_id", "=", userId)
					.orderBy("expires_at", "desc")
					.orderBy("id", "desc")
					.limit(MAX_PER_USER),
			)
			.execute();
	});
	return id;
}

/** Where the web app shows a try, below the root path. */
export function reportPath(id: string): string {
	return `/settings/sign-in?try=${id}`;
}

/** Undefined also for somebody else's try. */
export async function findTry(
	{ db, now }: Pick<Context, "db" | "now">,
	userId: number,
	id: string,
): Promise<z.output<typeof SignInTry> | undefined> {
	const row = await db.read
		.selectFrom("sign_in_tries")
		.select("report")
		.where("id", "=", id)
		.where("user_id", "=", userId)
		.where("expires_at", ">", now())
		.executeTakeFirst();
	return row === undefined ? undefined : SignInTry.parse(JSON.parse(row.report));
}

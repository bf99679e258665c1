import type { Kysely, Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";

const HOUR = 3_600_000_000;
const MAX_MAILS = 3;

export interface ResetUser {
	readonly id: number;
	readonly email: string;
	readonly username: string;
}

/**
 * Makes `link` the only valid one for the local user with this email. `issued` is false when there is no such user, or
 * 3 mails went out with less than an hour between each two: then nothing changes. The database does the same work for
 * every address.
 * @param email canonical
 */
export async function issueReset(
	transaction: Transaction<Tables>,
	email: string,
	link: { readonly jti: string; readonly now: number; readonly expiresAt: number },
): Promise<{ readonly user: ResetUser | undefined; readonly issued: boolean }> {
	const user = await transaction
		.selectFrom("users")
		.select(["id", "username"])
		.where("email", "=", email)
		.where("auth_method", "=", "LOCAL")
		.where("role", "<>", "SYSTEM")
		.executeTakeFirst();
	const anHourAgo = link.now - HOUR;
	const issued = await transaction
		.insertInto("password_resets")
		.columns(["user_id", "jti", "password_hash", "expires_at", "last_mail_at", "mails"])
		.expression((database) =>
			database
				.selectFrom("users")
				.where("id", "=", user?.id ?? 0)
				.where("password_hash", "is not", null)
				.select(({ ref, val }) => [
					"id",
					val(link.jti).as("jti"),
					ref("password_hash").$notNull().as("password_hash"),
					val(link.expiresAt).as("expires_at"),
					val(link.now).as("last_mail_at"),
					val(1).as("mails"),
				]),
		)
		.onConflict((conflict) =>
			conflict
				.column("user_id")
				.doUpdateSet(({ ref, eb }) => ({
					jti: ref("excluded.jti"),
					password_hash: ref("excluded.password_hash"),
					expires_at: ref("excluded.expires_at"),
					last_mail_at: ref("excluded.last_mail_at"),
					mails: eb
						.case()
						.when("password_resets.last_mail_at", "<=", anHourAgo)
						.then(1)
						.else(eb("password_resets.mails", "+", 1))
						.end(),
				}))
				.where(({ or, eb }) =>
					or([eb("password_resets.mails", "<", MAX_MAILS), eb("password_resets.last_mail_at", "<=", anHourAgo)]),
				),
		)
		.returning("user_id")
		.executeTakeFirst();
	return { user: user === undefined ? undefined : { ...user, email }, issued: issued !== undefined };
}

/** The user whose password a link may still replace. */
export async function findResetUser(
	db: Kysely<Tables>,
	link: { readonly userId: number; readonly jti: string; readonly now: number },
) {
	return await db
		.selectFrom("password_resets as reset")
		.innerJoin("users", (join) =>
			join.onRef("users.id", "=", "reset.user_id").onRef("users.password_hash", "=", "reset.password_hash"),
		)
		.select(["users.id", "users.username", "users.email", "users.password_hash", "users.password_due"])
		.where("reset.user_id", "=", link.userId)
		.where("reset.jti", "=", link.jti)
		.where("reset.expires_at", ">", link.now)
		.where("users.auth_method", "=", "LOCAL")
		.where("users.role", "<>", "SYSTEM")
		.executeTakeFirst();
}

/** Uses a link up and sets the password; false when the link was used or expired meanwhile. */
export async function consumeReset(
	transaction: Transaction<Tables>,
	link: { readonly userId: number; readonly jti: string; readonly now: number },
	passwordHash: string,
): Promise<boolean> {
	if ((await findResetUser(transaction, link)) === undefined) return false;
	await transaction.updateTable("password_resets").set({ jti: null }).where("user_id", "=", link.userId).execute();
	await transaction
		.updateTable("users")
		.set({ password_hash: passwordHash, password_due: 0, password_replaced: 1, updated_at: link.now })
		.where("id", "=", link.userId)
		.execute();
	return true;
}

import type { Config } from "#base/config.ts";
import type { UserRow } from "../users/queries.ts";

/** Whether an account was made for an admin of the list and nobody ever knew its password. */
export function isUnusedListed(user: UserRow, { SERVICE_ADMINS: admins }: Pick<Config, "SERVICE_ADMINS">): boolean {
	return (
		user.auth_method === "LOCAL" &&
		user.role !== "SYSTEM" &&
		user.password_replaced === 0 &&
		admins.some(({ email }) => email === user.email)
	);
}

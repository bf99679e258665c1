import type { Updateable } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { NewUser, UserRow } from "../users/queries.ts";

/** Which account an identity leads to, and what the log-in changes in it. */
export type Decision =
	| {
			/** `bind`: an account that was waiting for its first log-in becomes this identity's. */
			readonly kind: "known" | "bind";
			readonly user: UserRow;
			readonly changes: Updateable<Tables["users"]>;
			/** The role that the provider or directory gives, if it would take the role of the last admin. */
			readonly refusedRole?: string;
	  }
	| { readonly kind: "create"; readonly user: Omit<NewUser, "now"> };

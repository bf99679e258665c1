import { z } from "zod";
import { canonicalEmail, isEmail } from "#base/email.ts";
import { refuseWith } from "#base/refuse-with.ts";
import { trimUsername, usernameProblem } from "#base/username.ts";
import { KEY_PERMISSIONS } from "#http/principal.ts";
import { wireTime } from "#http/wire-times.ts";

const AUTH_METHODS = ["LOCAL", "OAUTH2", "LDAP"] as const;
export const ROLES = ["SYSTEM", "ADMIN", "MEMBER", "VIEWER"] as const;

export const User = z
	.object({
		id: z.string(),
		created_at: wireTime,
		updated_at: wireTime,
		email: z.string().describe("Empty for an LDAP user without one."),
		username: z.string(),
		role: z.enum(ROLES),
		auth_method: z.enum(AUTH_METHODS),
		password_needs_reset: z.boolean().optional().describe("Of `LOCAL` users: a new password is due."),
		is_bound: z
			.boolean()
			.optional()
			.describe(
				"Of `OAUTH2` and `LDAP` users: whether a log-in has bound the account to its identity. A directory without unique ids binds none.",
			),
		oauth2_provider: z.string().optional().describe("The provider of the last log-in."),
		oauth2_client_id: z.string().optional(),
		oauth2_user_id: z.string().optional(),
		ldap_unique_id: z.string().optional(),
		profile_picture_url: z.string().optional(),
		last_login_at: wireTime.optional(),
	})
	.meta({ id: "User" });

export const OwnUser = User.extend({
	credential: z
		.enum(["session", "user_key", "oauth_token", "system_key", "admin_secret"])
		.describe("What the request proved itself with."),
	permissions: z
		.array(z.enum([...KEY_PERMISSIONS, "admin"]))
		.nullable()
		.optional()
		.describe("Of a key or program. Null: all that its user may, of a program but administration, `admin`."),
	projects: z
		.array(z.object({ id: z.string(), name: z.string() }))
		.nullable()
		.optional()
		.describe("Of a key or program: the only ones that it reaches. Null: all."),
	include_library: z.boolean().optional().describe("Of a key or program: whether it reaches the library."),
	expires_at: wireTime.nullable().optional().describe("End of the key, or of the access token of the program."),
	client: z
		.object({ client_id: z.string(), name: z.string(), authorized_until: wireTime })
		.optional()
		.describe("The program, and the end of what it was let in for."),
	management_url: z.string().optional().describe("For users of `SERVICE_ADMINS`: where the hosting is managed."),
}).meta({ id: "OwnUser" });

export const AnonymousUser = z.object({ auth_method: z.literal("ANONYMOUS") }).meta({ id: "AnonymousUser" });

/** Any case on the way in; `SYSTEM` passes here, to be refused by its own status. */
export const roleInput = z.preprocess(
	(value) => (typeof value === "string" ? value.toUpperCase() : value),
	z.enum(ROLES),
);

const usernameInput = z
	.string()
	.max(1_000)
	.transform(trimUsername)
	.superRefine(refuseWith(usernameProblem))
	.describe("1 to 128 characters; names that look alike count as one.");

const emailInput = z
	.string()
	.max(1_000)
	.transform(canonicalEmail)
	.refine(isEmail, "this is no email address that mails can be sent to");

/** A longer password is refused before anything is computed; the policy's rules come after. */
const passwordInput = z.string().max(1_024);
const foreignId = z.string().min(1).max(255);

export const CreateUserBody = z.object({
	user: z.object({
		auth_method: z.preprocess(
			(value) => (typeof value === "string" ? value.toUpperCase() : value),
			z.enum(AUTH_METHODS),
		),
		email: emailInput,
		username: usernameInput,
		role: roleInput,
		password: passwordInput.nullish().describe("Of a `LOCAL` user; a random one when absent."),
		oauth2_client_id: foreignId.nullish(),
		oauth2_user_id: foreignId.nullish(),
	}),
	send_welcome_email: z.boolean().default(true).describe("True when absent."),
});

const SOMETHING = "name at least one field to change";
const isSomething = (body: object) => Object.values(body).some((value) => value !== undefined);

export const UpdateUserBody = z
	.strictObject({
		username: usernameInput.optional(),
		role: roleInput.optional(),
		password: passwordInput.optional().describe("The user has to replace it at the next log-in."),
	})
	.refine(isSomething, SOMETHING);

export const UpdateOwnUserBody = z
	.strictObject({
		username: usernameInput.optional(),
		password: passwordInput.optional(),
		current_password: z.string().max(1_024).optional().describe("Needed with `password`."),
	})
	.refine(({ username, password }) => username !== undefined || password !== undefined, SOMETHING);

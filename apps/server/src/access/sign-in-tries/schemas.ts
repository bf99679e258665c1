import { z } from "zod";
import { wireTime } from "#http/wire-times.ts";

/** {@link import("../sign-in/steps.ts").Step} on the wire. */
export const SignInStep = z
	.object({
		name: z.string().describe("What was looked at, such as `discovery`, `groups` or `role`."),
		outcome: z.enum(["ok", "warning", "failed", "skipped"]),
		text: z.string(),
		settings: z.array(z.string()).describe("The variables to change."),
		facts: z.array(z.object({ name: z.string(), value: z.string() })),
	})
	.meta({ id: "SignInStep" });

/** What a try has shown. */
export const SignInTry = z
	.object({
		method: z.enum(["OAUTH2", "LDAP"]),
		provider: z.string().nullable().describe("Its id; null for LDAP."),
		at: wireTime,
		/** Whether the person would have been let in. */
		accepted: z.boolean(),
		code: z.string().nullable().describe("What the log-in page would have been told; null when accepted."),
		steps: z.array(SignInStep),
		claims: z
			.record(z.string(), z.unknown())
			.nullable()
			.describe("What the provider said, ID token before userinfo; null for LDAP."),
	})
	.meta({ id: "SignInTry" });

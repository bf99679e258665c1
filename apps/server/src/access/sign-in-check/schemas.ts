import { z } from "zod";
import { canonicalEmail, isEmail } from "#base/email.ts";
import { SignInStep } from "../sign-in-tries/schemas.ts";

/** One variable and its value; of a secret only whether it is set. */
export const EffectiveSetting = z.object({ name: z.string(), value: z.string() }).meta({ id: "EffectiveSetting" });

export const SignInProvider = z
	.object({
		id: z.string(),
		name: z.string(),
		redirect_uri: z
			.string()
			.nullable()
			.describe("To register at the provider; null when SERVICE_ROOT_URL has to be set first."),
		settings: z.array(EffectiveSetting),
		steps: z.array(SignInStep).describe("Whether the provider can be reached and fits the settings."),
	})
	.meta({ id: "SignInProvider" });

export const SignInDirectory = z
	.object({
		settings: z.array(EffectiveSetting),
		servers: z.array(z.object({ address: z.string(), steps: z.array(SignInStep) })),
	})
	.meta({ id: "SignInDirectory" });

/** The server that mails are sent through, and their sender. */
export const MailState = z
	.object({
		server: z.string().nullable().describe("Name and port; null where no mails are sent."),
		sender: z.string(),
		steps: z.array(SignInStep).describe("Whether mails can be sent, and their sender is one that others accept."),
	})
	.meta({ id: "MailState" });

export const TestMailBody = z.object({
	to: z
		.string()
		.max(1_024)
		.transform(canonicalEmail)
		.refine(isEmail, "an email address is needed")
		.describe("Where the test mail goes."),
});

export const TestMailReport = z
	.object({ accepted: z.boolean().describe("Whether the mail server accepted the mail."), steps: z.array(SignInStep) })
	.meta({ id: "TestMailReport" });

/** What Settings → Sign-in shows. */
export const SignInState = z
	.object({
		passwords: z.boolean().describe("Whether local accounts log in with passwords."),
		/** How this very request arrived: address, cookies, proxy. */
		steps: z.array(SignInStep),
		providers: z.array(SignInProvider),
		ldap: SignInDirectory.nullable(),
		mail: MailState,
	})
	.meta({ id: "SignInState" });

export const TryProviderBody = z
	.object({
		prompt: z
			.literal("login")
			.optional()
			.describe("Makes the provider ask for the password even if the person is logged in there."),
	})
	.nullish();

export const StartedTry = z
	.object({ authorization_url: z.string().describe("Where the browser goes; it comes back to Settings → Sign-in.") })
	.meta({ id: "StartedSignInTry" });

export const TryLdapBody = z
	.object({
		username: z.string().min(1).max(256),
		password: z
			.string()
			.max(1_024)
			.optional()
			.describe(
				"Without it the entry, its groups and its role are looked up, and nobody is logged in at the directory.",
			),
	})
	.meta({ id: "TryLdapBody" });

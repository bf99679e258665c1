import type { FastifyRequest } from "fastify";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import { previewLogIn } from "../external-accounts/log-in-externally.ts";
import type { LdapDirectory } from "../ldap/directory.ts";
import { type SignInErrorCode, SignInRefusal, Steps } from "../sign-in/steps.ts";
import type { TryReport } from "../sign-in-tries/tries.ts";

interface Typed {
	readonly username: string;
	/** Absent to look the user up only. */
	readonly password?: string | undefined;
}

/**
 * What logging in by the directory would lead to; nobody is logged in, and no account is changed.
 * @throws UserError 429 while the name is locked
 */
export async function tryLdap(
	context: Context,
	directory: LdapDirectory,
	request: FastifyRequest,
	{ username, password }: Typed,
): Promise<TryReport> {
	await request.actor.assertStillAllowed();
	const steps = new Steps();
	const report = async (code: SignInErrorCode | null): Promise<TryReport> => {
		await record(code);
		return { method: "LDAP", provider: null, code, steps: steps.list, claims: null };
	};
	const record = (code: string | null) =>
		context.auth.audit.record({
			action: "sign_in.try",
			outcome: code === null ? "success" : "failure",
			...(code === null ? {} : { code }),
			principal: request.principal,
			request,
			details: { directory: "ldap", password: password !== undefined },
		});
	try {
		await previewLogIn(context, await directory.inspect(username, password, steps), steps);
		return await report(null);
	} catch (error) {
		if (error instanceof SignInRefusal) return await report(error.code);
		await record(error instanceof UserError ? error.code : "internal_error");
		throw error;
	}
}

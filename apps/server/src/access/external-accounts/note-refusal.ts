import type { Context } from "#context.ts";
import type { Origin } from "../auth/audit.ts";
import type { SignInRefusal } from "../sign-in/steps.ts";

/**
 * Tells the operator, in the log and the audit log, that and why somebody was refused; what the person sees stays
 * generic. The facts of the step may be personal and are left out of both.
 */
export async function noteRefusal(
	{ auth, log }: Pick<Context, "auth" | "log">,
	request: Origin,
	{ code, step }: SignInRefusal,
	by: { readonly provider: string } | { readonly directory: "ldap" },
): Promise<void> {
	log.warn({ ...by, code, step: step.name, settings: step.settings }, step.text);
	await auth.audit.record({ action: "login", outcome: "failure", code, request, details: { ...by, step: step.name } });
}

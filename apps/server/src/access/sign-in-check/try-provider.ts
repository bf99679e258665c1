import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "#context.ts";
import type { SessionPrincipal } from "#http/principal.ts";
import type { ProviderClient } from "../oauth2/provider-client.ts";
import { SignInRefusal, Steps } from "../sign-in/steps.ts";
import { reportPath, storeTry } from "../sign-in-tries/tries.ts";

/**
 * Begins a sign-in that logs nobody in; its result is stored when the browser comes back.
 * @returns where the browser goes: to the provider or, if that cannot be asked, to the report about it
 */
export async function beginProviderTry(
	context: Context,
	provider: ProviderClient,
	by: SessionPrincipal,
	{ prompt }: { readonly prompt?: "login" | undefined },
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<string> {
	const { auth, config, now } = context;
	const db = { write: request.actor.change.bind(request.actor) };
	const { id } = provider.settings;
	await request.actor.change(async (transaction, principal) => {
		const entry = { action: "sign_in.try", outcome: "success", details: { provider: id } } as const;
		await auth.audit.recordIn(transaction, { ...entry, principal, request });
	});
	const steps = new Steps();
	const start = { tryOf: by.user.id, ...(prompt === undefined ? {} : { prompt }) };
	try {
		return await provider.begin(start, request, reply, steps);
	} catch (error) {
		if (!(error instanceof SignInRefusal)) throw error;
		const report = { method: "OAUTH2", provider: id, code: error.code, steps: steps.list, claims: null } as const;
		return config.SERVICE_HOST_ROOT_PATH + reportPath(await storeTry({ db, now }, by.user.id, report));
	}
}

import { z } from "zod";
import { Steps } from "#access/sign-in/steps.ts";
import { SignInState } from "#access/sign-in-check/schemas.ts";
import type { Config } from "#base/config.ts";
import { parseJson } from "#http/parse-json.ts";
import { ask, isLoopbackUrl } from "./exchange.ts";
import type { ReportStep } from "./report.ts";

const StateAnswer = z.object({ data: SignInState.pick({ steps: true }) });

/** The running server's report of how a request reaches it; needs `SERVICE_ADMIN_SECRET`. */
export async function fetchRequestSteps(config: Config, url: string): Promise<readonly ReportStep[]> {
	const secret = config.SERVICE_ADMIN_SECRET;
	const steps = new Steps();
	if (secret === null) {
		steps.skip("proxy", "How requests reach the server is checked only with SERVICE_ADMIN_SECRET set.");
		return steps.list;
	}
	if (!url.startsWith("https:") && !isLoopbackUrl(url)) {
		steps.skip(
			"proxy",
			"How requests reach the server is not checked, because SERVICE_ADMIN_SECRET is not sent unencrypted.",
		);
		return steps.list;
	}
	const headers = { authorization: `Bearer ${secret.reveal()}` };
	const answer = await ask(`${url}/v1/sign_in`, { headers }).catch(() => undefined);
	const state = answer === undefined ? undefined : parseState(answer.body);
	if (state !== undefined) return state;
	const facts = answer === undefined ? [] : [{ name: "Status", value: String(answer.status) }];
	if (answer?.status === 401 || answer?.status === 403) {
		steps.fail(
			"settings",
			"The server refuses SERVICE_ADMIN_SECRET: it runs with another one, or a proxy removes the Authorization header.",
			{ settings: ["SERVICE_ADMIN_SECRET"], facts },
		);
	} else steps.fail("proxy", "The server did not say how requests reach it.", { facts });
	return steps.list;
}

function parseState(body: string): readonly ReportStep[] | undefined {
	return StateAnswer.safeParse(parseJson(body)).data?.data.steps;
}

import { setTimeout as sleep } from "node:timers/promises";
import type { LdapDirectory, ServerReport } from "../ldap/directory.ts";
import type { ProviderClient } from "../oauth2/provider-client.ts";
import { type Step, Steps } from "../sign-in/steps.ts";

const CHECK_MS = 15_000;

/** Whether a provider can be reached and fits the settings; ends in bounded time. */
export async function checkProvider(provider: ProviderClient): Promise<readonly Step[]> {
	const steps = new Steps();
	const inTime = await endsInTime(provider.check(steps));
	// What still runs adds to `steps`, not to this copy.
	const noted = [...steps.list];
	if (inTime) return noted;
	const late = new Steps();
	late.fail("discovery", `The provider had not answered everything after ${CHECK_MS / 1_000} seconds.`, {
		settings: [`${provider.settings.prefix}OIDC_CONFIG_URL`],
	});
	return [...noted, ...late.list];
}

/** Whether each directory server can be reached and fits the settings; ends in bounded time. */
export async function checkDirectory(
	directory: LdapDirectory,
	hosts: readonly string[],
): Promise<readonly ServerReport[]> {
	let reports: readonly ServerReport[] | undefined;
	await endsInTime(
		directory.check().then((checked) => {
			reports = checked;
		}),
	);
	return reports ?? hosts.map((address) => ({ address, steps: lateSteps() }));
}

function lateSteps(): readonly Step[] {
	const steps = new Steps();
	steps.fail("connect", `The directory had not answered everything after ${CHECK_MS / 1_000} seconds.`, {
		settings: ["SERVICE_LDAP_HOST"],
	});
	return steps.list;
}

async function endsInTime(work: Promise<void>): Promise<boolean> {
	const stop = new AbortController();
	const late = sleep(CHECK_MS, false, { signal: stop.signal, ref: false }).catch(() => false);
	try {
		return await Promise.race([work.then(() => true), late]);
	} finally {
		stop.abort();
	}
}

import type { Steps } from "#access/sign-in/steps.ts";
import type { Config } from "#base/config.ts";
import { ask, isLoopbackUrl } from "./exchange.ts";

/** Checks the cookies as they arrive here, by a log-out without a session, which changes nothing. */
export async function checkCookies(config: Config, url: string, steps: Steps): Promise<void> {
	const { origin } = new URL(url);
	const answer = await ask(`${url}/auth/logout`, { method: "POST", headers: { origin } }).catch(() => undefined);
	const cookies = (answer?.headers["set-cookie"] ?? []).filter((cookie) =>
		/service-(access|refresh)-token=/.test(cookie),
	);
	const settings = ["SERVICE_USE_SECURE_COOKIES"];
	const facts = cookies.map((cookie) => ({ name: "Cookie", value: cookie.replace(/=[^;]*/, "=") }));
	const root = config.SERVICE_HOST_ROOT_PATH;
	const paths = [config.SERVICE_COOKIES_PATH ?? (root || "/"), `${root}/auth`];
	if (answer === undefined || cookies.length < 2) {
		steps.fail("cookies", "No cookies come through: a proxy removes Set-Cookie, or refuses POST requests to /auth.", {
			facts: answer === undefined ? [] : [{ name: "Status", value: String(answer.status) }],
		});
	} else if (cookies.some((cookie) => !paths.includes(attribute(cookie, "path") ?? ""))) {
		steps.fail(
			"cookies",
			"The cookies arrive with other paths: a proxy changes them, or the running server has other settings.",
			{
				settings: ["SERVICE_COOKIES_PATH", "SERVICE_HOST_ROOT_PATH"],
				facts,
			},
		);
	} else if (
		cookies.some((cookie) => attribute(cookie, "httponly") === undefined || attribute(cookie, "samesite") === undefined)
	) {
		steps.fail("cookies", "The cookies arrive without HttpOnly or SameSite: a proxy changes them.", { facts });
	} else if (
		cookies.some((cookie) => (attribute(cookie, "secure") !== undefined) !== config.SERVICE_USE_SECURE_COOKIES)
	) {
		steps.fail(
			"cookies",
			"The cookies are not Secure although SERVICE_USE_SECURE_COOKIES is true: the running server has another value, or a proxy changes them.",
			{ settings, facts },
		);
	} else if (url.startsWith("https:") && !config.SERVICE_USE_SECURE_COOKIES) {
		steps.warn("cookies", "Browsers use https, but would send session cookies unencrypted as well.", {
			settings,
			facts,
		});
	} else if (!url.startsWith("https:") && config.SERVICE_USE_SECURE_COOKIES && !isLoopbackUrl(url)) {
		steps.fail("cookies", "SERVICE_ROOT_URL is http, where browsers do not keep Secure cookies: nobody can log in.", {
			settings: [...settings, "SERVICE_ROOT_URL"],
			facts,
		});
	} else steps.ok("cookies", "The cookies come through as configured.", { facts });
}

/** @returns undefined when the cookie does not have the attribute */
function attribute(cookie: string, name: string): string | undefined {
	const pairs = cookie.split(";").slice(1);
	const pair = pairs.find((text) => text.trim().split("=", 1)[0]?.toLowerCase() === name);
	return pair === undefined ? undefined : (pair.trim().split("=")[1] ?? "");
}

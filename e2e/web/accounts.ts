import type { Browser } from "playwright-core";
import type { Account } from "../access/accounts.ts";
import type { UserBrowser } from "../browser.ts";
import type { TestServer } from "../server.ts";

/** The browser of one person: each of its contexts begins with a log-in of its own. */
export function browserOf(
	browser: Browser,
	server: TestServer,
	account: Pick<Account, "email" | "password">,
): UserBrowser {
	return {
		async newContext(options) {
			const context = await browser.newContext(options);
			const { email, password } = account;
			const response = await context.request.post(`${server.url}/auth/login`, { data: { email, password } });
			if (response.status() !== 204) throw new Error(`log-in of ${email} answered ${response.status()}`);
			return context;
		},
		close: () => browser.close(),
	};
}

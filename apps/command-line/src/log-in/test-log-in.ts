import type { TestPrincipal } from "../../../server/src/test-principals.ts";
import type { Ended, TestCommands } from "../test-command.ts";

interface LogIn {
	readonly args?: readonly string[];
	readonly decision?: object;
}

/** Somebody who logs in with a browser. */
export class TestUser {
	readonly #commands: TestCommands;
	readonly principal: TestPrincipal;

	constructor(commands: TestCommands, principal: TestPrincipal) {
		this.#commands = commands;
		this.principal = principal;
	}

	/** Posts as a page of the server does. */
	async post(path: string, body: object): Promise<Response> {
		const { url } = this.#commands;
		return await fetch(`${url}${path}`, {
			method: "POST",
			headers: { ...this.principal.headers, origin: url, "content-type": "application/json" },
			body: JSON.stringify(body),
		});
	}

	/** Decides on the page of consent that an address leads to. @returns what the browser shows in the end */
	async decide(address: string, decision: object): Promise<string> {
		const asked = await fetch(address, { redirect: "manual" });
		const page = new URL(asked.headers.get("location") ?? "", this.#commands.url);
		if (page.pathname !== "/oauth2/consent") throw new Error(`no consent: ${asked.status} ${page.pathname}`);
		const question = Object.fromEntries(page.searchParams);
		const decided = await this.post("/oauth2/authorize/decision", { ...question, ...decision });
		const { redirect_to }: { redirect_to: string } = await decided.json();
		return await (await fetch(redirect_to)).text();
	}

	/** `spanward login --name here`, in this process. */
	async logIn({
		args = [],
		decision = { approved: true },
	}: LogIn = {}): Promise<Ended & { readonly shown: string | undefined }> {
		let shown: Promise<string> | undefined;
		const ended = await this.#commands.call(["login", this.#commands.url, "--name", "here", ...args], {
			env: { SERVICE_URL: "" },
			onError: (text) => {
				const address = addressIn(text);
				if (address !== undefined) shown ??= this.decide(address, decision);
			},
		});
		return { ...ended, shown: await shown };
	}
}

/** The address at which a program wants to be let in. */
export function addressIn(text: string): string | undefined {
	return /http\S+authorize\?\S+/.exec(text)?.[0];
}

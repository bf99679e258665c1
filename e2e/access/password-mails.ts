import { linkOf, type MailSink, type ReceivedMail } from "../mail-sink.ts";
import type { TestServer } from "../server.ts";
import { Client } from "./accounts.ts";

/** Asks for a link as the page of the forgotten password does. */
export function requestLink(
	server: TestServer,
	email: unknown,
	headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
	return new Client(server).send("POST", "/auth/password-reset-email", { email }, headers);
}

/** Asks for a link and reads its token from the mail. */
export async function requestToken(server: TestServer, sink: MailSink, email: string): Promise<string> {
	const before = linkMails(sink, email).length;
	const { status } = await requestLink(server, email);
	if (status !== 204) throw new Error(`the request for a link answered ${status}`);
	return tokenOf(await waitForLink(sink, email, before + 1));
}

export function setPassword(server: TestServer, token: unknown, password: unknown): Promise<Response> {
	return new Client(server).send("POST", "/auth/password-reset", { token, password });
}

/** The mails with a link to choose a new password, in the order they came. */
export function linkMails(sink: MailSink, email: string): readonly ReceivedMail[] {
	return sink.mailsTo(email).filter(({ html }) => html.includes('id="reset-url"'));
}

/** The newest of `count` mails with a link. */
export async function waitForLink(sink: MailSink, email: string, count = 1): Promise<ReceivedMail> {
	const mails = await sink.waitUntil(`${count} links for ${email}`, () => {
		const found = linkMails(sink, email);
		return found.length >= count ? found : undefined;
	});
	const newest = mails.at(-1);
	if (newest === undefined) throw new Error("no mail came");
	return newest;
}

export function tokenOf(mail: ReceivedMail): string {
	return linkOf(mail, "reset-url").split("#token=")[1] ?? "";
}

/** The status of a log-in. */
export async function tryLogIn(server: TestServer, email: string, password: string): Promise<number> {
	return (await new Client(server).send("POST", "/auth/login", { email, password })).status;
}

import { Resolver } from "node:dns/promises";
import type { Config } from "#base/config.ts";
import { isMailDomain, mailSender } from "#base/settings/derived.ts";
import { mailRootUrl } from "../mail/mail-links.ts";
import type { Mailer } from "../mail/mailer.ts";
import { testMail } from "../mail/messages.ts";
import { shownText } from "../sign-in/facts.ts";
import type { Steps } from "../sign-in/steps.ts";

const DNS_MS = 3_000;
/** The name does not exist, or has no records for mail. */
const NOT_THERE: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"]);
const SENDER = ["SERVICE_SMTP_MAIL_FROM", "SERVICE_ROOT_URL"];

/** Notes whether mail servers are likely to accept mails from the configured sender. */
export async function checkSender(config: Config, steps: Steps): Promise<void> {
	const sender = mailSender(config);
	const domain = sender.slice(sender.lastIndexOf("@") + 1);
	const facts = [{ name: "Sender", value: sender }];
	if (!isMailDomain(domain)) {
		steps.warn(
			"mail",
			`Mails come from ${domain}, which most mail servers refuse: set SERVICE_SMTP_MAIL_FROM to an address in your domain, or SERVICE_ROOT_URL, whose host is the default.`,
			{ settings: SENDER, facts },
		);
		return;
	}
	const known = await isKnown(domain);
	if (known === "unknown") {
		steps.skip("mail", "Could not check whether the domain of the sender exists: DNS does not answer.", {
			facts,
		});
	} else if (known) steps.ok("mail", "The domain of the sender exists.", { facts });
	else {
		steps.warn("mail", "The domain of the sender is not in DNS, so most mail servers refuse its mails.", {
			settings: SENDER,
			facts,
		});
	}
}

/**
 * Sends a mail to `to` and notes what the mail server says about it.
 * @param to an address
 * @returns whether the mail server accepted it
 */
export async function sendTestMail(config: Config, mailer: Mailer, to: string, steps: Steps): Promise<boolean> {
	const url = mailRootUrl(config);
	const site = { ...(url === undefined ? {} : { rootUrl: url }), supportEmail: config.SERVICE_SUPPORT_EMAIL };
	const facts = [
		{ name: "Mail server", value: `${config.SERVICE_SMTP_HOSTNAME}:${config.SERVICE_SMTP_PORT}` },
		{ name: "Sender", value: mailSender(config) },
		{ name: "To", value: to },
	];
	const failure = await mailer.deliver(testMail(to, site));
	if (failure === undefined) {
		steps.ok("mail", "The mail server accepted the test mail; look for it in the mailbox, or in its spam folder.", {
			facts,
		});
		return true;
	}
	const { reason, answer, hint = "" } = failure;
	steps.fail("mail", `The test mail could not be sent: ${shownText(reason)}.`, {
		settings: hint.match(/SERVICE_\w+/g) ?? ["SERVICE_SMTP_MAIL_FROM"],
		facts: [...facts, ...(answer === undefined ? [] : [{ name: "Its answer", value: shownText(answer) }])],
	});
	return false;
}

/** Whether DNS has records for mail under this name (RFC 5321, 5.1). */
async function isKnown(domain: string): Promise<boolean | "unknown"> {
	const resolver = new Resolver({ timeout: DNS_MS, tries: 1 });
	const asked = [resolver.resolveMx(domain), resolver.resolve4(domain), resolver.resolve6(domain)];
	const answers = await Promise.allSettled(asked);
	if (answers.some((answer) => answer.status === "fulfilled" && answer.value.length > 0)) return true;
	const isAbsent = (error: unknown) => error instanceof Error && "code" in error && NOT_THERE.has(String(error.code));
	return answers.every((answer) => answer.status === "rejected" && isAbsent(answer.reason)) ? false : "unknown";
}

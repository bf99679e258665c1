import { pino } from "pino";
import { SmtpMailer } from "#access/mail/smtp-mailer.ts";
import { Steps } from "#access/sign-in/steps.ts";
import { checkSender, sendTestMail } from "#access/sign-in-check/check-mail.ts";
import type { Config } from "#base/config.ts";
import type { Section } from "./report.ts";

interface MailQuestions {
	/** Where a test mail goes; none is sent without. */
	readonly mailTo?: string | undefined;
	/** Set when only one provider, or one user of the directory, is to be checked. */
	readonly provider?: string | undefined;
	readonly ldapUser?: string | undefined;
}

/** Checks that other mail servers accept the sender and, with `mailTo`, that a mail can be sent. */
export async function examineMail(config: Config, { mailTo, provider, ldapUser }: MailQuestions): Promise<Section[]> {
	const asksAll = provider === undefined && ldapUser === undefined;
	const steps = new Steps();
	if (config.SERVICE_SMTP_HOSTNAME !== null) {
		if (asksAll || mailTo !== undefined) await checkSender(config, steps);
		if (mailTo !== undefined) {
			await using mailer = new SmtpMailer(config, pino({ level: "silent" }));
			await sendTestMail(config, mailer, mailTo, steps);
		}
	} else if (mailTo !== undefined) {
		steps.fail("mail", "No mails are sent: SERVICE_SMTP_HOSTNAME is not set.", { settings: ["SERVICE_SMTP_HOSTNAME"] });
	}
	return steps.list.length === 0 ? [] : [{ title: "Mail", steps: steps.list }];
}

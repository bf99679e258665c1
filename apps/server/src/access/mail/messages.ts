import type { Mail } from "./mailer.ts";

/** What every mail may name. */
export interface MailSite {
	/** Where the web app is, without a slash at the end. */
	readonly rootUrl: string;
	/** `SERVICE_SUPPORT_EMAIL` */
	readonly supportEmail: string | null;
}

export interface Addressee {
	readonly email: string;
	readonly username: string;
}

/** One block of a mail, in the order they are read. */
export type Block =
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "facts"; readonly facts: readonly (readonly [name: string, value: string])[] }
	| { readonly kind: "button"; readonly id: string; readonly label: string; readonly url: string };

/** How a new user gets in for the first time. */
export type FirstLogIn = "given_password" | "own_password" | "provider";

/**
 * Greets a new user. `given_password`: an admin chose a password and hands it over; `own_password`: nobody knows
 * one, the user sets it by "forgot password"; `provider`: through the organization's sign-in.
 */
export function welcomeMail({ email, username }: Addressee, firstLogIn: FirstLogIn, site: MailSite): Mail {
	return compose(email, "Your Spanward account", site, [
		text("An account was made for you in Spanward, where traces of LLM and agent applications are collected and read."),
		facts([
			["Email", email],
			["Username", username],
		]),
		{ kind: "button", id: "welcome-url", label: "Open Spanward", url: site.rootUrl },
		...howToLogIn(firstLogIn, site),
		text(
			"If you did not expect this, you do not need to do anything: an administrator of this server created the account.",
		),
	]);
}

function howToLogIn(firstLogIn: FirstLogIn, site: MailSite): Block[] {
	switch (firstLogIn) {
		case "given_password":
			return [
				text(
					"Log in with this email and the password that your administrator gives you; you will be asked to choose your own. If you were not given one, choose one here:",
				),
				choosePassword(site),
			];
		case "own_password":
			return [
				text("This account has no known password yet. Choose one before you log in; you get a link for that by mail:"),
				choosePassword(site),
			];
		case "provider":
			return [
				text("Log in with your organization's account, as offered on the log-in page. There is no separate password."),
			];
	}
}

/** @param minutes for which the link works */
export function resetMail({ email }: Addressee, token: string, minutes: number, site: MailSite): Mail {
	return compose(email, "Choose a new password for Spanward", site, [
		text(
			`Somebody asked to choose a new password for the Spanward account of ${email}. If that was you, follow this link:`,
		),
		{
			kind: "button",
			id: "reset-url",
			label: "Choose a new password",
			url: `${site.rootUrl}/reset-password-with-token#token=${token}`,
		},
		text(
			`The link works once, for ${inWords(minutes)}. A later request replaces it. When the password is set, every open session of the account ends.`,
		),
		text(
			"If it was not you, do nothing: your password stays the same. Nobody can use the link without this mail, so do not pass it on.",
		),
	]);
}

/** `by`: the owner who was logged in, the link of a mail, or an administrator. */
export function passwordChangedMail(
	{ email }: Addressee,
	by: "owner" | "mail" | "admin",
	at: Date,
	site: MailSite,
): Mail {
	const when = `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
	return compose(email, "Your Spanward password was changed", site, [
		text(`The password of the Spanward account of ${email} was changed on ${when}, ${HOW_CHANGED[by]}.`),
		text(
			by === "owner"
				? "Every other session of the account has ended. API keys still work."
				: "Every session of the account has ended. API keys still work.",
		),
		text(by === "admin" ? FROM_ADMIN : NOT_YOU),
		by === "admin" ? logIn(site) : choosePassword(site),
	]);
}

const HOW_CHANGED = {
	owner: "by somebody who was logged in and knew the old one",
	mail: "through a link that we sent to this address",
	admin: "by an administrator",
} as const;

const FROM_ADMIN =
	"The administrator tells you the new one, and you will be asked to choose your own when you log in. If you did not expect this, ask the administrator of this server.";

const NOT_YOU =
	"If it was you, you do not need to do anything. If it was not you, tell the administrator of this server, delete API keys that you do not recognize in the settings, and choose a new password at once:";

/** Shows an admin that mails arrive. */
export function testMail(email: string, site: Partial<MailSite>): Mail {
	return compose(email, "A test mail of Spanward", site, [
		text("An administrator of this server sent this mail to test whether mails arrive. They do."),
		text("If you did not expect it, you do not need to do anything."),
	]);
}

/** A key that ends soon. */
export interface ExpiringKey {
	readonly name: string;
	/** Its beginning and end, which distinguish it from others. */
	readonly hint: string;
	/** The user's name; null for a key of the system. */
	readonly owner: string | null;
	readonly endsAt: Date;
}

/**
 * Tells the owner, or an admin, about keys that end soon.
 * @param count number of all these keys, of which `keys` are the first
 */
export function keysExpireMail(
	{ email, username }: Addressee,
	keys: readonly ExpiringKey[],
	count: number,
	site: Partial<MailSite>,
): Mail {
	const more = count - keys.length;
	return compose(email, count === 1 ? "A Spanward API key expires soon" : "Spanward API keys expire soon", site, [
		text(
			"From then on, programs that use such a key are refused (401), and traces that they send are lost. Create a new key and give it to the program, then delete the old one.",
		),
		facts(
			keys.map(({ name, hint, owner, endsAt }) => [
				`${endsAt.toISOString().slice(0, 16).replace("T", " ")} UTC`,
				`${name} (${hint}), ${owner === null ? "key of the system" : `key of ${owner}`}`,
			]),
		),
		...(more > 0 ? [text(`And ${more} more, which Settings list.`)] : []),
		...(site.rootUrl === undefined
			? []
			: [
					{
						kind: "button",
						id: "keys-url",
						label: "Open the keys",
						url: site.rootUrl + keysPage(username, keys),
					} as const,
				]),
	]);
}

/** Where somebody finds all of these keys, or most. */
function keysPage(username: string, keys: readonly ExpiringKey[]): string {
	if (keys.every(({ owner }) => owner === username)) return "/settings/api-keys";
	return keys.every(({ owner }) => owner === null) ? "/settings/system-keys" : "/settings/user-keys";
}

/** What the storage holds, and where its limits are. */
export interface StorageWarning {
	readonly usedBytes: number;
	readonly capacityBytes: number;
	readonly usedPercentage: number;
	/** Above this, in percent, nothing new is stored; null where that is not set. */
	readonly blockingPercentage: number | null;
}

/** Tells an admin, and the support address with them, that the database nears its capacity. */
export function storageWarningMail({ email }: Addressee, warning: StorageWarning, site: Partial<MailSite>): Mail {
	const { usedBytes, capacityBytes, usedPercentage, blockingPercentage: blocking } = warning;
	const isBlocked = blocking !== null && usedPercentage > blocking;
	const consequence = isBlocked
		? "Nothing new is stored any more: applications that send traces are told to try again later. Reading and deleting still work."
		: blocking === null
			? "Nothing is refused yet."
			: `Above ${blocking} % nothing new will be stored: applications that send traces will be told to try again later.`;
	const mail = compose(
		email,
		// Released tools look for this subject.
		"[Phoenix] Database Disk Space Usage Threshold Exceeded",
		site,
		[
			text("Spanward's database uses more of its allocated storage than it should."),
			facts([
				["In use", `${gibibytes(usedBytes)} GiB, ${usedPercentage.toFixed(1)} %`],
				["Allocated", `${gibibytes(capacityBytes)} GiB`],
			]),
			text(consequence),
			text(
				"Delete projects or traces, give projects a retention policy, or give the database more room: SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES sets how much it may use.",
			),
		],
		"Database Usage Notification",
	);
	return typeof site.supportEmail === "string" ? { ...mail, cc: site.supportEmail } : mail;
}

function gibibytes(bytes: number): string {
	return (bytes / 1_073_741_824).toFixed(bytes < 107_374_182 ? 4 : 2);
}

function choosePassword({ rootUrl }: MailSite): Block {
	return { kind: "button", id: "forgot-url", label: "Choose a new password", url: `${rootUrl}/forgot-password` };
}

function logIn({ rootUrl }: MailSite): Block {
	return { kind: "button", id: "login-url", label: "Log in", url: `${rootUrl}/login` };
}

export function text(value: string): Block {
	return { kind: "text", text: value };
}

export function facts(values: readonly (readonly [string, string])[]): Block {
	return { kind: "facts", facts: values };
}

export function compose(
	to: string,
	subject: string,
	site: Partial<MailSite>,
	blocks: readonly Block[],
	title: string = subject,
): Mail {
	const all = [...blocks, text(footer(site))];
	return { to, subject, text: `${all.map(toText).join("\n\n")}\n`, html: toPage(title, all) };
}

function footer({ rootUrl, supportEmail }: Partial<MailSite>): string {
	const place = rootUrl === undefined ? "" : ` at ${rootUrl}`;
	const help = typeof supportEmail === "string" ? ` Questions? Write to ${supportEmail}.` : "";
	return `Sent by Spanward${place}.${help}`;
}

function toText(block: Block): string {
	switch (block.kind) {
		case "text":
			return block.text;
		case "facts":
			return block.facts.map(([name, value]) => `${name}: ${oneLine(value)}`).join("\n");
		case "button":
			return `${block.label}:\n${block.url}`;
	}
}

function toPage(subject: string, blocks: readonly Block[]): string {
	return [
		"<!doctype html>",
		'<html lang="en">',
		`<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>`,
		"<body style=\"margin:0;padding:24px;background:#f5f5f4;color:#1c1917;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif\">",
		'<div style="max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #e7e5e4;border-radius:8px">',
		`<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${escapeHtml(subject)}</h1>`,
		...blocks.map(toHtml),
		"</div>",
		"</body>",
		"</html>",
		"",
	].join("\n");
}

function toHtml(block: Block): string {
	switch (block.kind) {
		case "text":
			return `<p style="margin:0 0 16px">${escapeHtml(block.text)}</p>`;
		case "facts":
			return `<p style="margin:0 0 16px">${block.facts.map(([name, value]) => `${escapeHtml(name)}: <strong>${escapeHtml(oneLine(value))}</strong>`).join("<br>")}</p>`;
		case "button":
			return `<p style="margin:0 0 16px"><a id="${block.id}" href="${escapeHtml(block.url)}" style="display:inline-block;padding:10px 16px;background:#1d4ed8;color:#ffffff;text-decoration:none;border-radius:6px">${escapeHtml(block.label)}</a><br><span style="font-size:13px;color:#57534e;word-break:break-all">${escapeHtml(block.url)}</span></p>`;
	}
}

/** `15 minutes`, `1 hour`, `36 hours`: rounded down, so that it never promises too much. */
function inWords(minutes: number): string {
	const [count, unit] =
		minutes < 1
			? [Math.max(1, Math.floor(minutes * 60)), "second"]
			: minutes < 120
				? [Math.floor(minutes), "minute"]
				: [Math.floor(minutes / 60), "hour"];
	return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** A line break in a name must not begin what looks like another line of ours. */
function oneLine(value: string): string {
	return value.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ");
}

function escapeHtml(value: string): string {
	return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

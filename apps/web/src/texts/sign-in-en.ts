import { counted } from "./plural.ts";

/** `5 minutes`, `20 seconds`: rounded up, so that waiting so long is enough. */
function lasting(seconds: number): string {
	return seconds > 90
		? counted(Math.ceil(seconds / 60), "minute", "minutes")
		: counted(Math.max(1, Math.ceil(seconds)), "second", "seconds");
}

/** Texts of signing in and of the session; loaded without those of the app. */
export const signInTexts = {
	app: "Spanward",

	logIn: {
		title: "Log in",
		ways: "Log in with",
		way: { password: "Local account", ldap: "Directory (LDAP)" },
		name: { password: "Email", ldap: "Username" },
		password: "Password",
		submit: "Log in",
		busy: "Logging in…",
		forgot: "Forgot password?",
		askAdmin: "Forgot your password? An admin of this server can set a new one.",
		askAdminAt: "Forgot your password? An admin can set a new one: write to",
		askDirectory: "Your username and password of your organisation's directory. A forgotten one is reset there.",
		missing: {
			password: "Write your email and your password.",
			ldap: "Write your username and your password.",
		},
		or: "or",
		with: (provider: string) => `Log in with ${provider}`,
		cameBack: (provider: string) =>
			`This page went to ${provider} a moment ago, and nobody is logged in. If you did log in there, the browser did not keep the session: cookies have to be allowed, and where the server sets them for https only, it has to be opened with https.`,
	},

	password: {
		show: "Show the password",
		hide: "Hide the password",
		capsLock: "Caps Lock is on.",
		current: "Current password",
		fresh: "New password",
		repeat: "New password again",
		differs: "The two new passwords are not the same.",
		breaksRules: "The new password breaks the rules below it.",
		same: "The new password has to differ from the current one.",
	},

	newPassword: {
		title: "Set a new password",
		text: (email: string) => `Before you continue, ${email} needs a password that only you know.`,
		submit: "Set password",
		busy: "Setting…",
		logOut: "Log out",
		currentHint: "The one you just logged in with.",
	},

	forgot: {
		title: "Forgot password",
		text: "Enter the email of your account. You get a link to set a new password by mail.",
		submit: "Send link",
		busy: "Sending…",
		missing: "Write an email address.",
		doneTitle: "Check your mailbox",
		done: "If there is an account with this email and a password, a mail with a link is on its way to it. The link works once and for a short time only; use the newest mail.",
		nothing: "Nothing there after a few minutes? Check the spam folder, or ask an admin.",
		off: "This server sends no mails. An admin can set a new password for you.",
		back: "Back to log-in",
	},

	reset: {
		title: "Set a new password",
		doneTitle: "Your new password is set",
		done: "All sessions of your account were ended. Log in with the new password.",
		missingTitle: "This link is not complete",
		missing: "Open the complete link in the mail again; after reloading this page, it has to be opened again.",
		invalid: "This link is no longer valid: it was used, a newer one was sent, or it has expired. Ask for a new one.",
		again: "Send a new link",
	},

	loggedOut: {
		title: "You are logged out",
		text: "None of your data is left in this browser.",
		elsewhere: "You may still be logged in at the sign-in service: on a computer that others use, log out there too.",
		failedTitle: "You are not logged in",
		again: "Log in again",
	},

	expired: {
		title: "Your session has ended",
		text: "Log in again to continue. What you typed on this page is still there.",
		newTab: "It opens in a new tab. Once you are logged in there, come back to this one: it continues by itself.",
		leave: "Go to the log-in page instead",
	},

	refused: {
		wrong: {
			password: "Wrong email or password.",
			ldap: "Wrong username or password, or no access to this server. If it happens again, ask an admin.",
		},
		directory: "The directory does not answer. Try again later, or ask an admin.",
		wrongCurrent: "The current password is wrong.",
		locked: (seconds: number | undefined) =>
			seconds === undefined
				? "Too many wrong passwords: log-in to this account is locked for some minutes."
				: `Too many wrong passwords: log-in to this account is locked. Try again in ${lasting(seconds)}.`,
		tooMany: (seconds: number | undefined) =>
			seconds === undefined
				? "Too many attempts from your network. Wait a moment, then try again."
				: `Too many attempts from your network. Try again in ${lasting(seconds)}.`,
		busy: "The server is busy. Try again in a moment.",
		noMail: "This server cannot send mails at the moment. Ask an admin.",
		offline: "The server does not answer. Check that you are connected, then try again.",
		noPasswords: "Logging in with a password is switched off on this server.",
		untrusted:
			"The server does not trust this page's address. An admin has to add it to SERVICE_CSRF_TRUSTED_ORIGINS, or open the one that is there.",
		noCookie:
			"The password is right, but the browser did not keep the session. Cookies have to be allowed; and where the server sets them for https only, it has to be opened with https.",
		other: (status: number) => `The server answered with an error (status ${status}).`,
		request: (id: string) => `Request ${id}`,
	},

	/** What `?error=` on the log-in page means. Codes only: texts of others are never shown. */
	errors: {
		unknown_idp: "This way to log in is not known here (any more). Choose one that is offered below.",
		auth_failed:
			"The sign-in service did not let you in, or that account has no access here. Try again with another one, or ask an admin.",
		invalid_state:
			"That log-in took too long, was started in another window, or the browser kept no cookie of it. Allow cookies and try again.",
		unsafe_return_url: "The address to come back to was not one of this server. Log in again from here.",
		oauth_error:
			"The sign-in service could not be reached or gave an unexpected answer. Try again later, or ask an admin.",
		no_oidc_support:
			"The sign-in service did not say who you are. Ask an admin: it has to be set up for OpenID Connect.",
		missing_email_scope: "The sign-in service did not send your email, which is required here. Ask an admin.",
		email_in_use:
			"There is an account with your email, but it uses another way to log in. Log in the way you did before, or ask an admin.",
		sign_in_not_allowed: "There is no account for you here, or it signs in another way. Ask an admin for one.",
		invalid_login: "Wrong username or password, or no access to this server. If it happens again, ask an admin.",
		directory_unavailable: "The directory does not answer. Try again later, or ask an admin.",
	} as Readonly<Record<string, string>>,
	unknownError: "Logging in did not work. Try again; if it happens again, ask an admin.",
};

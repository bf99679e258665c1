import { counted } from "./plural.ts";

/** The texts of the pages on which a person lets a program act for them. */
export const programsTexts = {
	title: "A program asks to use Spanward as you",
	loading: "Loading…",
	program: "Program",
	kind: {
		seeded: "Known to Spanward by this name. Any program on your device can use it.",
		admin: (ago: string) => `Added by an admin ${ago}.`,
		registered: (ago: string) => `Registered itself ${ago}. Nobody has checked its name: any program can choose it.`,
		metadata: (address: string) => `Described at ${address}, which this server trusts.`,
	},
	leads: "Goes back to",
	place: {
		loopback: (host: string) => `a program on your device (${host})`,
		scheme: (scheme: string) => `an app that opens addresses with ${scheme}`,
		https: (host: string) => host,
	},
	askedFrom: "Asked from",
	asked: "Asked",
	withAgent: (agent: string) => `with ${agent}`,
	you: "You are",
	role: { ADMIN: "admin", MEMBER: "member", VIEWER: "viewer" },
	another: "Log out, and in as somebody else",
	ago: {
		now: "just now",
		minutes: (count: number) => `${counted(count, "minute", "minutes")} ago`,
		hours: (count: number) => `${counted(count, "hour", "hours")} ago`,
		days: (count: number) => `${counted(count, "day", "days")} ago`,
	},

	may: "It may",
	askedFor: (scopes: string) => `It asked for: ${scopes}.`,
	askedForNothing: "It did not say what it needs.",
	never: "Never more than you may yourself. It can make no keys.",
	readerHint: "You may only read, so it can do no more.",
	onlyMcp: "Only through the MCP endpoint of this server.",
	where: "Where",
	everywhere: "Everywhere that I may, in later projects too",
	chosenOnly: "Only in what I choose",
	homes: "Projects and library",
	homesMissing: "Choose a project or the library.",
	adminEverywhere: "Administration goes with everywhere only: change one of the two.",
	homesFailed: "The projects could not be loaded.",
	more: "Show more projects",
	days: "For",
	daysChoice: (count: number) => counted(count, "day", "days"),
	daysHint: "You can end it at any time in Settings → Connected apps.",
	onlyYou: "Allow it only if you started this yourself a moment ago.",
	deny: "Deny",
	allow: "Allow",

	left: {
		title: "Back to the program",
		text: (place: string) => `You are going back to ${place}. If it is open already, you can close this page.`,
		again: "Open it again",
	},

	device: {
		title: "Connect a device",
		text: "Type the code that the program shows you. Never one that somebody has sent you.",
		code: "Code",
		hint: "Eight letters, such as WDJB-MJHT.",
		missing: "Write the code that the program shows: eight letters.",
		submit: "Continue",
		busy: "Looking…",
		another: "Type another code",
		allowedTitle: "The program is connected",
		allowed: (program: string) => `${program} goes on by itself in a few seconds. You can close this page.`,
		deniedTitle: "The program was not connected",
		denied: (program: string) => `${program} is told that you denied it. You can close this page.`,
		unknownCode: "There is no such code. Look at it once more; after some minutes the program has to show another one.",
		expiredCode: "This code is too old. Start again in the program, which then shows another one.",
		usedCode: "This code was used already. If you did not do that, look at Settings → Connected apps.",
		tooManyCodes: (minutes: number | undefined) =>
			minutes === undefined
				? "Too many wrong codes. Wait ten minutes, then try again."
				: `Too many wrong codes. Try again in ${counted(minutes, "minute", "minutes")}.`,
	},

	refused: {
		title: "This program gets no access",
		unknownClient:
			"This server does not know the program, or not any more. Start again in the program, so that it registers itself anew.",
		redirect:
			"The address to go back to is not one that the program has registered. Go no further if you did not start this yourself.",
		disabled: "An admin has disabled this program. Ask one if you need it.",
		invalid:
			"The program has asked in a way that is not allowed. Start again in it; if it happens again, tell its makers.",
		tooMany:
			"You have connected as many programs as anybody may. End some in Settings → Connected apps, then try again.",
		foreign: "The decision came from another address than this server's own, and does not count.",
		failed: "This did not work",
		details: "Details",
		retry: "Try again",
		start: "Go to Spanward",
	},
} as const;

/** Texts of the settings page about agents and the command line. */
export const agentsTexts = {
	intro: "What coding agents and programs need to look at traces here by themselves, and what they have asked for.",
	endpoint: "MCP endpoint",
	address: "Address of the MCP endpoint",
	on: "on",
	off: "off",
	offText: {
		before: "Agents get no answer at this address:",
		after: "switches it off. Whoever runs this server can remove that setting and restart it.",
	},
	open: "Authentication is off: whoever reaches this address can use it, without a key.",
	setUp: "Set up an agent",
	client: "Program",
	clients: {
		claude: "Claude Code",
		codex: "Codex CLI",
		gemini: "Gemini CLI",
		vscode: "VS Code",
		cursor: "Cursor",
		other: "Another program",
	},
	way: "How it proves who it is",
	ways: { login: "Log-in in the browser", key: "API key" },
	loginText:
		"The program opens the browser, where you choose what it may do. You end that in Settings → Connected apps.",
	keyText: "The key is read from a variable of the program's environment, so that it is in no file:",
	inputText: "The editor asks for the key once and keeps it.",
	otherText: "Put the key in the place of <API_KEY>.",
	environment: "environment",
	makeKey: "Make a read-only key",
	keyHint:
		"It reads and changes nothing. What a trace says may try to instruct an agent: limit the key to the projects that it needs.",
	run: "Run this:",
	put: (file: string) => `Put this into ${file}:`,
	putAnywhere: "Most programs read this form:",
	code: "set-up",
	commandLine: "Command line",
	commandLineText:
		"The command line keeps this address, and who you are. With authentication on it asks you to log in.",
	commandLineExamples: "Then for example:",
	login: "log-in",
	examples: "examples",
	apps: "Connected apps",
	appsText: (n: number) =>
		n === 0
			? "No program has your permission."
			: n === 1
				? "One program has your permission."
				: `${n} programs have your permission.`,
	allApps: "See and end what programs may do",
	calls: "Last calls",
	callsText: "What agents called at the MCP endpoint within a week. It takes some seconds until a call is here.",
	show: "Whose",
	own: "Mine",
	all: "Everybody's",
	column: {
		time: "Time",
		tool: "Tool",
		client: "Program",
		user: "User",
		outcome: "Outcome",
		duration: "Duration",
	},
	outcome: {
		ok: "ok",
		partial: "partial",
		refused: "refused",
		too_slow: "too slow",
		cancelled: "cancelled",
		failed: "failed",
	},
	unnamed: "(no name)",
	nobody: "anonymous",
	none: "No calls within a week",
	noneText: "When an agent asks for something here, it is listed.",
	noneOff: "While the MCP endpoint is off there are none.",
} as const;

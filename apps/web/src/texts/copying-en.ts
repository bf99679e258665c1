/** Texts of copying what a page shows. */
export const copyingTexts = {
	trigger: "Copy for an agent or as code",
	triggerSpan: "Copy the span for an agent or as code",
	agent: "Copy for an agent",
	as: "Copy as",
	form: { curl: "curl", command: "Command line", python: "Python", typescript: "TypeScript" },
	copying: "Copying …",
	copied: (form: string) => `Copied: ${form}`,
	agentText: "text for an agent",
	refusedTitle: "Copy it from here",
	refusedText:
		"The browser did not allow the copy. The text is selected: copy it with the keys or the menu of your device.",
	failedTitle: "Nothing was copied",
	field: "Text to copy",
} as const;

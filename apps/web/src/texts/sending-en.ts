/** Texts of how to send the first trace. */
export const sendingTexts = {
	withKey: "Every request needs a key. Give it to your application as SERVICE_API_KEY.",
	makeKey: "Create a key and insert it here",
	keyOf: "Whose key",
	ownKey: "my own key",
	systemKey: "a system key",
	ownKeyHint: "It has your rights, ends with your account, and does not expire otherwise.",
	systemKeyHint: "For an application that outlives its author; it has a member's rights.",
	keyName: (project: string) => `Sends to ${project}`,
	made: "The key is in the text below. Copy it now: it will not be shown again.",
	allKeys: "All keys",
	key: "API key",
	leftTitle: "Your key is still here",
	leftText:
		"The first span has arrived, and the page shows it. You have not copied your new key yet. Copy it now: it will not be shown again.",
	viewer: "Your account may only read, so it cannot send spans.",
	viewerText:
		"Ask an admin of this server to make you a member, or to send with a key of their own. This page switches by itself when something arrives.",
};

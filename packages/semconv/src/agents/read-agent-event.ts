import type { AgentEvent, AgentReading } from "./agent-event.ts";
import { readBy } from "./agent-sender.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";

const SENDERS = [claudeCode, codex, geminiCli];

/** Whether a log record of this name may be an event of a coding agent. */
export function isAgentEvent(name: string): boolean {
	return SENDERS.some(({ prefix }) => name.startsWith(prefix));
}

/** What a coding agent's event says; undefined when it is none of those that are kept. Never throws. */
export function readAgentEvent(event: AgentEvent): AgentReading | undefined {
	const sender = SENDERS.find(({ prefix }) => event.name.startsWith(prefix));
	return sender && readBy(sender, event);
}

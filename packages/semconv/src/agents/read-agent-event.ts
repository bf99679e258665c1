import type { AgentEvent, AgentReading } from "./agent-event.ts";
import { readBy } from "./agent-sender.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";

const SENDERS = [claudeCode, codex, geminiCli];

/** Whether a log record of this name may be an event of a coding agent. */
export function isAgentEvent(scopeName: string, name: string): boolean {
	return SENDERS.some((sender) => sender.eventOf(scopeName, name) !== undefined);
}

/** What a coding agent's event says; undefined when it is none of those that are kept. Never throws. */
export function readAgentEvent(scopeName: string, event: AgentEvent): AgentReading | undefined {
	for (const sender of SENDERS) {
		const known = sender.eventOf(scopeName, event.name);
		if (known !== undefined) return readBy(sender, known, event);
	}
	return undefined;
}

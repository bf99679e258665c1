import { useEffect, useRef, useState } from "react";
import { whenForgotten } from "../../auth/forget.ts";
import { localSetting } from "../../lib/local-setting.ts";
import { blankDraft, type PlaygroundDraft } from "./playground-draft.ts";

/** Cleared at log-out with everything else of the user. */
const stored = localSetting("playground-draft");
/** Characters; a browser keeps about 5 million of them for a server. */
const MAX_STORED = 2_000_000;
const SAVE_AFTER_MS = 300;

/** The page of a user who is no longer logged in stores nothing. */
let isForgotten = false;
whenForgotten(() => {
	isForgotten = true;
});

interface Stored {
	/** Id of the user; empty while authentication is off. */
	readonly owner: string;
	readonly draft: PlaygroundDraft;
}

/** The draft of this user's last visit; undefined when there is none that can be read. */
export function storedDraft(owner: string): PlaygroundDraft | undefined {
	const text = stored.get();
	if (text === undefined) return undefined;
	try {
		const found = JSON.parse(text) as Partial<Stored> | null;
		if (found?.owner !== owner || !Array.isArray(found.draft?.variants) || found.draft.variants.length === 0) {
			return undefined;
		}
		return { ...blankDraft(), ...found.draft };
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

/** The text that is kept: without images where it would be too long; undefined where it is too long without them. */
function textToStore({ owner, draft }: Stored): string | undefined {
	const text = JSON.stringify({ owner, draft });
	if (text.length <= MAX_STORED) return text;
	const variants = draft.variants.map((variant) => ({
		...variant,
		messages: variant.messages.map((message) => ({ ...message, images: [] })),
	}));
	const shorter = JSON.stringify({ owner, draft: { ...draft, variants } });
	return shorter.length <= MAX_STORED ? shorter : undefined;
}

function store(kept: Stored): void {
	if (!isForgotten) stored.set(textToStore(kept));
}

/** The draft of this page, which outlives it. */
export function useDraft(
	owner: string,
	start: () => PlaygroundDraft,
): [PlaygroundDraft, (change: (draft: PlaygroundDraft) => PlaygroundDraft) => void] {
	const [draft, setDraft] = useState(start);
	const latest = useRef(draft);
	useEffect(() => {
		latest.current = draft;
		const timer = setTimeout(() => store({ owner, draft }), SAVE_AFTER_MS);
		return () => clearTimeout(timer);
	}, [owner, draft]);
	useEffect(() => {
		const save = () => store({ owner, draft: latest.current });
		window.addEventListener("pagehide", save);
		return () => {
			window.removeEventListener("pagehide", save);
			save();
		};
	}, [owner]);
	return [draft, setDraft];
}

import Search from "lucide-react/icons/search";
import { type ReactNode, type RefObject, useEffect } from "react";
import { useFollowed } from "../lib/use-followed.ts";
import { SearchInput } from "./input.tsx";
import { Key } from "./keys.tsx";

const TYPING_MS = 300;
const MAX_LENGTH = 500;

export interface TypedSearchProps {
	readonly label: string;
	/** The words that are searched for now; changes from elsewhere (back, a cleared filter) show in the field. */
	readonly words: string;
	/** Called when typing pauses, and at once on Enter. */
	readonly onWords: (words: string) => void;
	readonly inputRef: RefObject<HTMLInputElement | null>;
}

/** The search field over a list. */
export function TypedSearch({ label, words, onWords, inputRef }: TypedSearchProps): ReactNode {
	const { value: text, change: setText, noteWritten } = useFollowed(words);
	const apply = (next: string) => {
		const trimmed = next.trim();
		if (trimmed === words) return;
		noteWritten(trimmed);
		onWords(trimmed);
	};
	useEffect(() => {
		if (text.trim() === words) return;
		const timer = setTimeout(() => apply(text), TYPING_MS);
		return () => clearTimeout(timer);
	});
	return (
		<SearchInput
			ref={inputRef}
			label={label}
			placeholder={label}
			icon={<Search size={14} aria-hidden />}
			value={text}
			maxLength={MAX_LENGTH}
			onChange={(event) => setText(event.target.value)}
			onKeyDown={(event) => {
				if (event.key === "Enter") apply(text);
				else if (event.key === "Escape" && text !== "") {
					setText("");
					apply("");
					event.stopPropagation();
				} else if (event.key === "Escape") event.currentTarget.blur();
			}}
			after={text === "" && <Key name="/" />}
			boxClassName="min-w-40 max-w-md flex-1 basis-32"
		/>
	);
}

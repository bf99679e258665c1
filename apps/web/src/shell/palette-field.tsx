import Search from "lucide-react/icons/search";
import type { ComponentProps, ReactNode } from "react";
import { texts } from "../texts/en.ts";

const TEXTS = texts.command;

/** The field of the command palette, also while the rest of it is loaded. */
export function PaletteField(input: Omit<ComponentProps<"input">, "className">): ReactNode {
	return (
		<div className="flex items-center gap-2 border-line border-b px-3">
			<Search size={15} aria-hidden className="text-muted" />
			<input
				aria-label={TEXTS.title}
				placeholder={TEXTS.placeholder}
				spellCheck={false}
				autoComplete="off"
				{...input}
				className="h-11 min-w-0 flex-1 bg-transparent outline-none placeholder:text-muted"
			/>
		</div>
	);
}

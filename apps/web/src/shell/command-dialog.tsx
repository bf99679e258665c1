import { type KeyboardEvent, type ReactNode, Suspense, useId, useRef, useState } from "react";
import { texts } from "../texts/en.ts";
import { Dialog } from "../ui/dialog.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { PaletteField } from "./palette-field.tsx";

const CommandPalette = lazyPart(() => import("./command-palette.tsx"), "CommandPalette");

/** What the field tells the options below it, which may not be loaded yet. */
export interface PaletteKeys {
	/** Takes a key pressed in the field; absent until the options are there. */
	press?: (event: KeyboardEvent) => void;
	/** Enter was pressed before the options were there. */
	isEntered: boolean;
}

/**
 * The dialog of the command palette. Its field is there at once and stays the same one, so that no key is lost while
 * the options are loaded when it is first opened.
 */
export function CommandDialog({ onClose }: { onClose: () => void }): ReactNode {
	const [text, setText] = useState("");
	const [active, setActive] = useState<string>();
	const keys = useRef<PaletteKeys>({ isEntered: false });
	const list = useId();
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.nativeEvent.isComposing) return;
		if (keys.current.press !== undefined) keys.current.press(event);
		else if (event.key === "Enter") keys.current.isEntered = true;
	};
	return (
		<Dialog open onOpenChange={onClose} title={texts.command.title} hideTitle>
			<PaletteField
				role="combobox"
				aria-expanded={active !== undefined}
				aria-controls={list}
				aria-autocomplete="list"
				aria-activedescendant={active}
				value={text}
				onChange={(event) => setText(event.target.value)}
				onKeyDown={onKeyDown}
			/>
			<Suspense>
				<CommandPalette text={text} list={list} keys={keys.current} onActive={setActive} onClose={onClose} />
			</Suspense>
		</Dialog>
	);
}

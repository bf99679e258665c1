import type { ReactNode } from "react";
import { localSetting } from "../../lib/local-setting.ts";
import { useIsPhone } from "../../lib/media.ts";
import { useLocalSetting } from "../../lib/use-local-setting.ts";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";
import { TextContent } from "../../ui/content/text-content.tsx";

const setting = localSetting("review-guidance");

/**
 * What reviewers are told, which can be folded.
 * @param isKnown whether they have seen it on this page before: it takes most of the room for the form on a phone
 */
export function Guidance({ text, isKnown = false }: { text: string | null; isKnown?: boolean }): ReactNode {
	const [chosen, choose] = useLocalSetting(setting);
	const isPhone = useIsPhone();
	if (text === null || text.trim() === "") return null;
	const isOpen = chosen === undefined ? !(isPhone && isKnown) : chosen === "open";
	return (
		<details
			open={isOpen}
			onToggle={({ currentTarget }) => currentTarget.open !== isOpen && choose(currentTarget.open ? "open" : "folded")}
			className="border-line border-b px-3 py-2"
		>
			<summary className="cursor-pointer font-medium">{TEXTS.guidance}</summary>
			<TextContent text={text} isMarkdown className="mt-1 min-w-0 [overflow-wrap:anywhere]" />
		</details>
	);
}

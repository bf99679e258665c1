import Download from "lucide-react/icons/download";
import type { ReactNode } from "react";
import { accessTexts as TEXTS } from "../../../texts/access-en.ts";

/** Downloads what is shown above it. */
export function CsvLink({ href }: { href: string }): ReactNode {
	return (
		<a
			href={href}
			download
			className="inline-flex min-h-6 items-center gap-1 self-start text-accent hover:underline pointer-coarse:min-h-11"
		>
			<Download size={14} aria-hidden />
			{TEXTS.csv}
		</a>
	);
}

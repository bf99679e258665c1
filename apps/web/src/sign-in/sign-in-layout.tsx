import { type ReactNode, useEffect } from "react";
import { signInTexts } from "../texts/sign-in-en.ts";

export interface SignInLayoutProps {
	readonly title: string;
	readonly children: ReactNode;
}

/** The layout of the sign-in pages: one narrow column. */
export function SignInLayout({ title, children }: SignInLayoutProps): ReactNode {
	useEffect(() => {
		document.title = `${title} · ${signInTexts.app}`;
	}, [title]);
	return (
		<main className="flex h-full flex-col items-center overflow-auto p-6">
			<div className="my-auto flex w-full max-w-80 flex-col gap-4 py-6">
				<p className="flex items-center gap-2.5 font-semibold text-lg">
					<img src="favicon.svg" alt="" width={26} height={26} />
					{signInTexts.app}
				</p>
				<h1 className="font-semibold text-xl">{title}</h1>
				{children}
			</div>
		</main>
	);
}

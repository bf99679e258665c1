import { playgroundTexts as texts } from "../../texts/playground-en.ts";
import type { ImagePart } from "./playground-draft.ts";

const MAX_BYTES = 5 * 1_024 * 1_024;

/** Files as images of a message, and what is wrong with those that are left out. */
export async function readImages(
	files: readonly File[],
): Promise<{ readonly images: readonly ImagePart[]; readonly problem: string | undefined }> {
	const problems: string[] = [];
	const images: ImagePart[] = [];
	for (const file of files) {
		if (file.size > MAX_BYTES) {
			problems.push(texts.imageTooLarge(file.name));
			continue;
		}
		const bytes = new Uint8Array(await file.arrayBuffer());
		// As the server does: what a file is called says nothing.
		const type = typeOf(bytes);
		if (type === undefined) problems.push(texts.imageOther(file.name));
		else images.push({ type: "image", media_type: type, data: await base64Of(file) });
	}
	return { images, problem: problems.length === 0 ? undefined : problems.join(" ") };
}

function typeOf(bytes: Uint8Array): ImagePart["media_type"] | undefined {
	const start = String.fromCharCode(...bytes.subarray(0, 12));
	if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
	if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
	if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "image/gif";
	return start.startsWith("RIFF") && start.slice(8) === "WEBP" ? "image/webp" : undefined;
}

function base64Of(file: File): Promise<string> {
	return new Promise((resolve, reject) => {
		const reader = new FileReader();
		reader.onerror = () => reject(reader.error);
		// `data:…;base64,` and the bytes.
		reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
		reader.readAsDataURL(file);
	});
}

/** Takes the next piece of an answer; returns the bytes so far of the longest event that has a part in it. */
export type EventCounter = (piece: Uint8Array) => number;

const LF = 10;
const CR = 13;

/** The counter for answers of a type; undefined for one that is not made of events. */
export function eventCounter(contentType: string): EventCounter | undefined {
	const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
	if (/^application\/([\w.-]+\+)?json$/.test(type)) return undefined;
	if (type === "application/vnd.amazon.eventstream") return countFrames();
	return type === "text/event-stream" ? countEvents() : countLines();
}

/** Events end with an empty line; lines end with CR LF, CR or LF. https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */
function countEvents(): EventCounter {
	let size = 0;
	let isLineEmpty = true;
	let previous = 0;
	return (piece) => {
		let longest = 0;
		for (const byte of piece) {
			const isEnd = byte === LF || byte === CR;
			const isSecondHalf = byte === LF && previous === CR;
			previous = byte;
			size += 1;
			if (!isEnd) isLineEmpty = false;
			else if (!isSecondHalf) {
				if (isLineEmpty) {
					longest = Math.max(longest, size);
					size = 0;
				}
				isLineEmpty = true;
			}
		}
		return Math.max(longest, size);
	};
}

function countLines(): EventCounter {
	let size = 0;
	return (piece) => {
		let longest = 0;
		let at = 0;
		for (let end = piece.indexOf(LF); end >= 0; end = piece.indexOf(LF, at)) {
			longest = Math.max(longest, size + end - at);
			size = 0;
			at = end + 1;
		}
		size += piece.length - at;
		return Math.max(longest, size);
	};
}

/** Frames begin with their length, four bytes of it, the most significant first. */
function countFrames(): EventCounter {
	let length = 0;
	let lengthBytes = 0;
	let rest = 0;
	return (piece) => {
		let longest = 0;
		for (let at = 0; at < piece.length; ) {
			if (rest > 0) {
				const taken = Math.min(rest, piece.length - at);
				rest -= taken;
				at += taken;
				continue;
			}
			length = length * 256 + (piece[at] ?? 0);
			at += 1;
			lengthBytes += 1;
			if (lengthBytes < 4) continue;
			longest = Math.max(longest, length);
			rest = Math.max(length - 4, 0);
			length = 0;
			lengthBytes = 0;
		}
		return longest;
	};
}

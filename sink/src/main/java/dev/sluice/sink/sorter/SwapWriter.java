package dev.sluice.sink.sorter;

import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;

/**
 * Writes the journal records of the open transaction to a swap file. {@link #finish} returns the
 * {@link SwapFile}; {@link #discard} deletes it. Owned by the intake thread.
 */
final class SwapWriter {
  /*
   * A swap file:
   *
   *   "SLUICESW" 8 | format version 4
   *   blocks:  raw bytes 4 | compressed bytes 4 | CRC32C of the compressed bytes 4 | LZ4 block
   *   raw:     records: length 4 | a journal record's value
   *
   * Numbers are big-endian. A record is in exactly one block. A block is closed when it reaches
   * BLOCK_BYTES.
   */
  static final byte[] MAGIC = "SLUICESW".getBytes(StandardCharsets.US_ASCII);
  static final int VERSION = 1;
  static final int HEADER_BYTES = MAGIC.length + 4;
  static final int BLOCK_HEADER_BYTES = 12;
  static final int BLOCK_BYTES = 256 * 1024;

  private final Path path;
  private final SwapSpace space;
  private final SeekableByteChannel channel;
  private final LZ4Compressor compressor = LZ4Factory.fastestInstance().fastCompressor();
  private final CRC32C checksum = new CRC32C();

  private ByteBuffer raw = ByteBuffer.allocate(BLOCK_BYTES + 16 * 1024);
  private long size;
  private long records;
  private long largestBlock;

  /**
   * @param channel of the new file; the writer closes it
   */
  SwapWriter(Path path, SeekableByteChannel channel, SwapSpace space) {
    this.path = path;
    this.channel = channel;
    this.space = space;
  }

  /** Size of the file on disk, in bytes. */
  long size() {
    return size;
  }

  /**
   * Adds a record.
   *
   * @throws SwapFullException if an earlier full block cannot be written; this record is then not
   *     added
   */
  void add(byte[] record) throws SwapFullException {
    if (raw.position() >= BLOCK_BYTES) {
      writeBlock();
    }
    if (raw.remaining() < 4 + record.length) {
      ByteBuffer larger = ByteBuffer.allocate(raw.position() + 4 + record.length);
      raw.flip();
      larger.put(raw);
      raw = larger;
    }
    raw.putInt(record.length);
    raw.put(record);
    records++;
  }

  /**
   * Finishes the file.
   *
   * @throws SwapFullException if the last block cannot be written; the call may be repeated
   */
  SwapFile finish() throws SwapFullException {
    if (raw.position() > 0) {
      writeBlock();
    }
    try {
      channel.close();
    } catch (IOException e) {
      throw new SluiceException.LostCache("swap file " + path + " cannot be closed: " + e, e);
    }
    return new SwapFile(path, size, records, largestBlock, space);
  }

  /** Deletes the unfinished file. */
  void discard() {
    try {
      channel.close();
    } catch (IOException e) {
      // The file is deleted next, and that reports its own failure.
    }
    space.delete(path, size);
  }

  private void writeBlock() throws SwapFullException {
    int rawBytes = raw.position();
    byte[] compressed = new byte[compressor.maxCompressedLength(rawBytes)];
    int length = compressor.compress(raw.array(), 0, rawBytes, compressed, 0, compressed.length);
    checksum.reset();
    checksum.update(compressed, 0, length);
    ByteBuffer block = ByteBuffer.allocate(HEADER_BYTES + BLOCK_HEADER_BYTES + length);
    if (size == 0) {
      block.put(MAGIC).putInt(VERSION);
    }
    block.putInt(rawBytes).putInt(length).putInt((int) checksum.getValue());
    block.put(compressed, 0, length);
    write(block.flip());
    largestBlock = Math.max(largestBlock, rawBytes);
    raw =
        raw.capacity() > 2 * BLOCK_BYTES
            ? ByteBuffer.allocate(BLOCK_BYTES + 16 * 1024)
            : raw.clear();
  }

  private void write(ByteBuffer block) throws SwapFullException {
    int length = block.remaining();
    space.reserve(length);
    try {
      channel.position(size);
      while (block.hasRemaining()) {
        channel.write(block);
      }
      size += length;
    } catch (IOException e) {
      space.unreserve(length);
      cutBack();
      throw space.refused("written", path, size, length, e);
    }
  }

  private void cutBack() {
    try {
      channel.truncate(size);
    } catch (IOException e) {
      // The next block is written at the same offset, so a partial block left here does no harm.
    }
  }
}

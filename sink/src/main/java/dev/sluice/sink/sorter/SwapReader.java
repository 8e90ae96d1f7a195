package dev.sluice.sink.sorter;

import dev.sluice.config.document.SluiceException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.zip.CRC32C;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/** Reads a swap file once, from its beginning. Owned by the thread that opened it. */
final class SwapReader implements RecordReader {
  private final SwapFile file;
  private final DataInputStream input;
  private final LZ4SafeDecompressor decompressor = LZ4Factory.fastestInstance().safeDecompressor();
  private final CRC32C checksum = new CRC32C();

  private ByteBuffer raw = ByteBuffer.allocate(0);
  private long recordsLeft;

  /**
   * @throws SluiceException.LostCache if the file cannot be opened or has another format
   */
  SwapReader(SwapFile file) {
    this.file = file;
    this.recordsLeft = file.records();
    try {
      this.input =
          new DataInputStream(
              new BufferedInputStream(Files.newInputStream(file.path()), 64 * 1024));
      readHeader();
    } catch (IOException e) {
      throw unreadable(e.toString(), e);
    }
  }

  @Override
  public byte[] next() {
    if (recordsLeft == 0) {
      return null;
    }
    if (!raw.hasRemaining()) {
      readBlock();
    }
    byte[] record = new byte[raw.getInt()];
    raw.get(record);
    recordsLeft--;
    return record;
  }

  @Override
  public void close() {
    try {
      input.close();
    } catch (IOException e) {
      throw unreadable(e.toString(), e);
    }
  }

  private void readHeader() throws IOException {
    byte[] magic = new byte[SwapWriter.MAGIC.length];
    input.readFully(magic);
    int version = input.readInt();
    if (!Arrays.equals(magic, SwapWriter.MAGIC) || version != SwapWriter.VERSION) {
      input.close();
      throw unreadable(
          "found format version %2$d, expected %1$d".formatted(SwapWriter.VERSION, version), null);
    }
  }

  private void readBlock() {
    try {
      int rawBytes = input.readInt();
      int length = input.readInt();
      int expected = input.readInt();
      if (rawBytes <= 0 || rawBytes > file.largestBlock() || length <= 0 || length > file.bytes()) {
        throw unreadable(
            "found a block of %d bytes for %d raw bytes".formatted(length, rawBytes), null);
      }
      byte[] compressed = new byte[length];
      input.readFully(compressed);
      checksum.reset();
      checksum.update(compressed, 0, length);
      if ((int) checksum.getValue() != expected) {
        throw unreadable(
            "found checksum %08x in a block of %d bytes, expected %08x"
                .formatted((int) checksum.getValue(), length, expected),
            null);
      }
      byte[] bytes = new byte[rawBytes];
      int found = decompressor.decompress(compressed, bytes);
      if (found != rawBytes) {
        throw unreadable(
            "found a block of %d raw bytes, expected %d".formatted(found, rawBytes), null);
      }
      raw = ByteBuffer.wrap(bytes);
    } catch (EOFException e) {
      throw unreadable(recordsLeft + " records are missing at its end", e);
    } catch (IOException | LZ4Exception e) {
      throw unreadable(e.toString(), e);
    }
  }

  private SluiceException unreadable(String reason, Exception cause) {
    return new SluiceException.LostCache(
        "swap file %s (%d bytes, %d records) cannot be read, so its records are read from the journal again: %s"
            .formatted(file.path(), file.bytes(), file.records(), reason),
        cause);
  }
}

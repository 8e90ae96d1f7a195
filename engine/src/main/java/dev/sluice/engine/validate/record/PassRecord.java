package dev.sluice.engine.validate.record;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TableFindings.End;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The record of one pass: a text file with what was read of each table, what was found, and the
 * statements with which anyone can read it again. Its last line is a checksum of all others. What
 * the sessions find is kept in files beside it until the pass ends, so its memory is small. Owned
 * by the thread of the validation, which it never fails before the end.
 */
public final class PassRecord implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PassRecord.class);

  private final Path file;
  private final Path folder;
  private final RecordHead head;
  private final Instant began;
  private final Map<TableId, TableParts> tables =
      new TreeMap<>(Comparator.comparing(TableId::toString));
  private int parts;
  private Optional<Exception> failure = Optional.empty();

  private PassRecord(Path file, Path folder, RecordHead head, Instant began) {
    this.file = file;
    this.folder = folder;
    this.head = head;
    this.began = began;
  }

  /**
   * Begins a record.
   *
   * @param file does not exist; only its owner will be able to read it
   */
  public static PassRecord begin(Path file, RecordHead head, Instant now) {
    try {
      Path folder =
          Files.createDirectory(
              file.resolveSibling(file.getFileName() + RecordFolder.PARTS),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      return new PassRecord(file, folder, head, now);
    } catch (IOException e) {
      throw failed(file, e);
    }
  }

  /** Deletes files that a killed daemon or command has left. Called while no record is made. */
  public static void deleteLeft(Path dataDirectory, Instant now) {
    RecordFolder.deleteLeft(dataDirectory, now);
  }

  /** Adds what a session found and what is stored. */
  public void add(SessionFindings found, Instant at) {
    if (failure.isPresent()) {
      return;
    }
    try {
      for (TableFindings table : found.tables()) {
        add(table, found, at);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "the record of the validation failed, and the validation continues without it: {}",
          e.toString());
      failure = Optional.of(e);
    }
  }

  private void add(TableFindings table, SessionFindings found, Instant at) throws IOException {
    TableParts of =
        tables.computeIfAbsent(table.table(), name -> new TableParts(folder, tables.size()));
    if (table.end() == End.VOID) {
      of.forget();
    } else if (table.end() != End.REFUSED) {
      boolean keyed = table.differences().stream().noneMatch(row -> row.key().values().isEmpty());
      of.add(
          table,
          RecordLines.session(table, found.proof().orElseThrow(), at, keyed),
          chunk -> ++parts);
    }
  }

  /**
   * Writes the file.
   *
   * @param result in a few words
   * @throws SluiceException if it cannot be written, or does not contain everything that the pass
   *     has read
   */
  public void complete(List<PassTable> all, String result, Instant now) {
    if (failure.isPresent()) {
      throw failed(file, failure.get());
    }
    try (OutputStream plain = create(file)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      DigestOutputStream output = new DigestOutputStream(plain, digest);
      write(output, head.text(began, now, List.of(result)));
      List<PassTable> sorted =
          all.stream().sorted(Comparator.comparing(table -> table.table().toString())).toList();
      for (PassTable table : sorted) {
        write(output, table);
      }
      output.flush();
      write(plain, "sha256: " + HexFormat.of().formatHex(digest.digest()) + "\n");
    } catch (IOException e) {
      RecordFolder.delete(file);
      throw failed(file, e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("BUG: no SHA-256", e);
    } finally {
      close();
    }
  }

  private static OutputStream create(Path file) throws IOException {
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.newOutputStream(file, StandardOpenOption.WRITE);
  }

  private void write(OutputStream output, PassTable table) throws IOException {
    Optional<TableParts> read = Optional.ofNullable(tables.get(table.table()));
    write(output, RecordLines.table(table, read.flatMap(TableParts::how)));
    if (table.rows().isEmpty()) {
      return;
    }
    Optional<Long> recorded = read.flatMap(TableParts::rows);
    if (!recorded.equals(table.rows())) {
      throw new IOException(
          "BUG: the parts of table %s have %s rows, and the pass has read %s"
              .formatted(table.table(), recorded, table.rows()));
    }
    Files.copy(read.orElseThrow().complete(), output);
  }

  private static void write(OutputStream output, String text) throws IOException {
    output.write(text.getBytes(StandardCharsets.UTF_8));
  }

  private static SluiceException failed(Path file, Exception e) {
    return new SluiceException.Fatal(
        "the record of the validation cannot be written to " + file + ": " + e, e);
  }

  /** Deletes an incomplete record. */
  @Override
  public void close() {
    RecordFolder.delete(folder);
  }
}

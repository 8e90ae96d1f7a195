package dev.sluice.config.dms;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import dev.sluice.config.document.Node;
import java.io.IOException;
import java.io.StringWriter;

/** Writes nodes as YAML that the reader of task files reads as the same nodes. Stateless. */
final class YamlText {
  private static final YAMLFactory YAML =
      YAMLFactory.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
          .build();

  private YamlText() {}

  /** One key of a document with its value, ending with a line break. */
  static String of(String key, Node value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = YAML.createGenerator(text)) {
      out.writeStartObject();
      out.writeFieldName(key);
      write(out, value);
      out.writeEndObject();
    } catch (IOException e) {
      throw new IllegalStateException("BUG: writing text in memory failed", e);
    }
    return text.toString().stripTrailing() + "\n";
  }

  private static void write(JsonGenerator out, Node node) throws IOException {
    if (node instanceof Node.Mapping mapping) {
      out.writeStartObject();
      for (Node.Entry entry : mapping.entries()) {
        out.writeFieldName(entry.key());
        write(out, entry.value());
      }
      out.writeEndObject();
    } else if (node instanceof Node.Sequence sequence) {
      out.writeStartArray();
      for (Node item : sequence.items()) {
        write(out, item);
      }
      out.writeEndArray();
    } else if (node instanceof Node.Number number) {
      out.writeNumber(number.value());
    } else if (node instanceof Node.Flag flag) {
      out.writeBoolean(flag.value());
    } else if (node instanceof Node.Text text) {
      out.writeString(text.text());
    } else {
      out.writeNull();
    }
  }
}

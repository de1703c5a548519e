package io.fdt.cli.report;

import java.io.StringReader;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** Result files with fictional figures, and a strict parser for the markup of reports. */
final class Examples {
    private Examples() {}

    static Path file(String name) {
        URL url = Objects.requireNonNull(Examples.class.getResource(name + ".json"), name);
        try {
            return Path.of(url.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static List<Report.Section> sections(List<String> names, String... comparisons) {
        return Report.ofFiles(names.stream().map(Examples::file).toList(), List.of(comparisons), name -> name)
                .sections();
    }

    /** Returns the chart with this title from the first section. */
    static Chart chart(String title, List<Report.Section> sections) {
        for (Chart chart : sections.get(0).charts()) {
            if (chart.title().equals(title)) {
                return chart;
            }
        }
        throw new AssertionError("no chart " + title + " but "
                + sections.get(0).charts().stream().map(Chart::title).toList());
    }

    /** Parses a text. Fails if it is not well-formed XML. */
    static Document xml(String text) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder().parse(new InputSource(new StringReader(text)));
    }

    /** Returns the elements with this name whose class matches a pattern. */
    static List<Element> elements(Document document, String name, String type) {
        NodeList nodes = document.getElementsByTagName(name);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            Element element = (Element) nodes.item(i);
            if (element.getAttribute("class").matches(type)) {
                elements.add(element);
            }
        }
        return elements;
    }

    static List<String> texts(Document document) {
        NodeList nodes = document.getElementsByTagName("text");
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent());
        }
        return texts;
    }
}
